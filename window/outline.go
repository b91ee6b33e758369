// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"

	"github.com/fovea-memory/fovea/merkle"
)

// Outline is what all windows over one state have in common: the tree of its
// nodes without their text. It never changes and may be used by many goroutines.
// It keeps the ids, agents and link targets of the state alive, about 150 bytes
// a node.
type Outline struct {
	root   merkle.Digest
	nodes  []branch // in document order, parents first
	at     map[string]int32
	linked []linking
	seen   int // how many are not hidden
}

// branch is what the outline keeps of a node: enough to rank it and to guess its
// cost. The rest is read again for the few that may be shown.
type branch struct {
	id     string
	agent  string
	digest merkle.Digest
	parent int32 // index into nodes, -1 for a document
	last   int32 // the last index of the subtree
	depth  int32 // 0 for a document
	title  int32 // bytes
	body   int32 // bytes
	extra  int32 // bytes of planning and properties
	flags  flag
}

// linking is a node that links somewhere.
type linking struct {
	node, document int32
	path           string
	targets        []string
}

// flag is a fact about a node.
type flag uint8

const (
	hidden     flag = 1 << iota // itself or below one that is
	active                      // has a keyword that is not terminal
	done                        // has a terminal keyword
	linksTo                     // links to the focus
	linkedFrom                  // the focus links to it
	onPath                      // the focus or an ancestor of it
)

// sized is a Source that knows how many nodes it has.
type sized interface{ Len() int }

// Prepare walks a source once, for the Outline of any number of requests over
// the same state. It reads each item once and fails with the error of ctx alone.
// A child that was met before, by a cycle or under a second parent, is passed
// over, and so is one without an item.
func Prepare(ctx context.Context, src Source) (*Outline, error) {
	size := 1024
	if s, ok := src.(sized); ok {
		size = max(0, s.Len())
	}
	o := &Outline{root: src.Root(), nodes: make([]branch, 0, size), at: make(map[string]int32, size)}
	w := &walker{ctx: ctx, src: src, outline: o}
	for _, id := range src.Documents() {
		w.visit(id, -1, int32(len(o.nodes)))
	}
	return o, ctx.Err()
}

// walker fills an outline.
type walker struct {
	ctx     context.Context
	src     Source
	outline *Outline
}

// visit adds id and its subtree. It recurses as deep as the outline is.
func (w *walker) visit(id string, parent, document int32) {
	o := w.outline
	if _, met := o.at[id]; met || len(o.nodes)%1024 == 0 && w.ctx.Err() != nil {
		return
	}
	item, ok := w.src.Item(id)
	if !ok {
		return
	}
	at := int32(len(o.nodes))
	o.at[id] = at
	o.nodes = append(o.nodes, o.branch(id, &item, parent))
	if len(item.Links) > 0 {
		o.linked = append(o.linked, linking{at, document, item.Path, item.Links})
	}
	if !o.nodes[at].has(hidden) {
		o.seen++
	}
	for _, child := range w.src.Children(id) {
		w.visit(child, at, document)
	}
	o.nodes[at].last = int32(len(o.nodes)) - 1
}

// branch sums up one item.
func (o *Outline) branch(id string, item *Item, parent int32) branch {
	b := branch{
		id: id, agent: item.Agent, digest: item.Digest, parent: parent,
		title: int32(min(len(item.Title), maxTitleByte)), body: int32(min(len(item.Body), 1<<30)),
	}
	if parent >= 0 {
		above := &o.nodes[parent]
		b.depth = above.depth + 1
		b.flags = above.flags & hidden
	}
	if item.Hidden {
		b.flags |= hidden
	}
	switch {
	case item.Done:
		b.flags |= done
	case item.Todo != "":
		b.flags |= active
	}
	for _, p := range item.Properties {
		b.extra += int32(min(len(p[0])+len(p[1]), 1<<16))
	}
	for _, p := range item.Planning {
		b.extra += int32(min(len(p), 1<<10))
	}
	return b
}

func (b *branch) has(f flag) bool { return b.flags&f != 0 }
