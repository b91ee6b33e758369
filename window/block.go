// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fovea-memory/fovea/merkle"
)

// block is one document of an outline. Numbers of nodes count within it. It never
// changes, so that outlines of several states share it.
type block struct {
	path     string
	folded   string // path in small letters
	nodes    []branch
	linked   []linking
	projects []int32
	plain    []class
	seen     int // how many are not hidden

	locals atomic.Pointer[locals] // of a large block, made when first asked for
	prices atomic.Pointer[prices] // the latest list
}

// branch is what the outline keeps of a node: enough to rank it and to guess its
// cost. The rest is read again for the few that may be shown.
type branch struct {
	id     string
	agent  string
	digest merkle.Digest
	parent int32 // -1 for a document
	last   int32 // the last node of the subtree
	depth  int32 // 0 for a document
	title  int32 // bytes
	body   int32 // bytes
	extra  int32 // bytes of planning and properties
	flags  flag
}

// linking is a link from a node, told by what it leads to.
type linking struct {
	key    uint64 // see linkKey
	node   int32
	target string
}

// class is the nodes of a block with one prior that are not hidden: the topmost of
// them ranks first where nothing else speaks for any.
type class struct {
	prior float64
	depth int32
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
	wanted                      // a project that was asked for
)

func (b *branch) has(f flag) bool { return b.flags&f != 0 }

// newBlock reads a document and what is below it; nil if it has no item.
func newBlock(src Source, id string, was earlier) *block {
	b := &block{}
	b.visit(src, id, -1, &was)
	if len(b.nodes) == 0 {
		return nil
	}
	b.folded = strings.ToLower(b.path)
	b.classify()
	return b
}

// visit adds id and its subtree. It recurses as deep as the document is.
func (b *block) visit(src Source, id string, parent int32, was *earlier) {
	at := int32(len(b.nodes))
	if stood, ok := was.find(id, parent >= 0 && b.nodes[parent].has(hidden)); ok {
		b.keep(was.block, stood, parent)
	} else if item, ok := src.Item(id); ok {
		b.read(&item, parent)
	} else {
		return
	}
	for _, child := range src.Children(id) {
		if src.Parent(child) == id {
			b.visit(src, child, at, was)
		}
	}
	b.nodes[at].last = int32(len(b.nodes)) - 1
}

// read adds one item.
func (b *block) read(item *Item, parent int32) {
	at := int32(len(b.nodes))
	if at == 0 {
		b.path = item.Path
	}
	b.nodes = append(b.nodes, b.branch(item, parent))
	for _, target := range item.Links {
		b.linked = append(b.linked, linking{targetKey(target, b.path), at, target})
	}
	if item.Project {
		b.projects = append(b.projects, at)
	}
}

// branch sums up one item.
func (b *block) branch(item *Item, parent int32) branch {
	n := branch{
		id: item.ID, agent: item.Agent, digest: item.Digest, parent: parent,
		title: int32(min(len(item.Title), maxTitleByte)), body: int32(min(len(item.Body), 1<<30)),
	}
	if parent >= 0 {
		above := &b.nodes[parent]
		n.depth = above.depth + 1
		n.flags = above.flags & hidden
	}
	if item.Hidden {
		n.flags |= hidden
	}
	switch {
	case item.Done:
		n.flags |= done
	case item.Todo != "":
		n.flags |= active
	}
	for _, p := range item.Properties {
		n.extra += int32(min(len(p[0])+len(p[1]), 1<<16))
	}
	for _, p := range item.Planning {
		n.extra += int32(min(len(p), 1<<10))
	}
	return n
}

// classify counts the nodes that may be shown, and finds the topmost by prior.
func (b *block) classify() {
	for i := range b.nodes {
		if n := &b.nodes[i]; !n.has(hidden) {
			b.seen++
			b.plain = addClass(b.plain, class{prior(n), n.depth})
		}
	}
}

// addClass adds a class to some, of which there is one for each prior.
func addClass(all []class, c class) []class {
	at := slices.IndexFunc(all, func(o class) bool { return o.prior == c.prior })
	if at < 0 {
		return append(all, c)
	}
	all[at].depth = min(all[at].depth, c.depth)
	return all
}
