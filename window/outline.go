// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
)

// Outline is what all windows over one state have in common: the tree of its
// nodes without their text, in blocks of a document each. It never changes and may be
// used by many goroutines. It keeps the ids, agents and link targets of the state
// alive, about 150 bytes a node; outlines share the blocks of equal documents.
//
// Nodes are numbered in document order, documents in theirs.
type Outline struct {
	root   merkle.Digest
	blocks []*block
	starts []int32          // the number of the first node of each block, and of all nodes
	order  map[string]int32 // id of a document -> its block; shared while no document comes or goes
	seen   int              // how many are not hidden
	places places
}

// Replaced names a document that is not what it was: one that came, went or
// changed. Path is where it stands, ID its id, "" if it is gone.
type Replaced struct{ Path, ID string }

// Prepare walks a source once, for the Outline of any number of requests over
// the same state. It reads each item once and fails with the error of ctx alone.
func Prepare(ctx context.Context, src Source) (*Outline, error) {
	docs := src.Documents()
	o := &Outline{root: src.Root(), blocks: make([]*block, 0, len(docs))}
	for _, id := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b := newBlock(src, id); b != nil {
			o.blocks = append(o.blocks, b)
		}
	}
	o.number(nil)
	o.places = places{all: newRegister(false)}
	return o, nil
}

// Next returns the outline of the state that src shows, which differs from that of o
// in some documents: it reads the items of those alone. docs may be in any order and
// name a document that did not change; the documents of src are in order of their
// paths. O(documents + nodes of docs).
func (o *Outline) Next(src Source, docs []Replaced) *Outline {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b Replaced) int { return strings.Compare(a.Path, b.Path) })
	n := &Outline{root: src.Root(), blocks: make([]*block, 0, len(o.blocks)+len(docs))}
	rest, same := o.blocks, true
	var fresh []int // places in n
	for _, d := range docs {
		at, had := slices.BinarySearchFunc(rest, d.Path, func(b *block, path string) int { return strings.Compare(b.path, path) })
		n.blocks = append(n.blocks, rest[:at]...)
		var now *block
		if d.ID != "" {
			now = newBlock(src, d.ID)
		}
		if now != nil {
			n.blocks, fresh = append(n.blocks, now), append(fresh, len(n.blocks))
		}
		same = same && had == (now != nil) && (!had || rest[at].nodes[0].id == now.nodes[0].id)
		if rest = rest[at:]; had {
			rest = rest[1:]
		}
	}
	n.blocks = append(n.blocks, rest...)
	if same {
		n.number(o.order)
	} else {
		n.number(nil)
	}
	n.places = o.places.next(n, fresh)
	return n
}

// number counts the nodes. order is that of an outline with the same documents, nil
// for none.
func (o *Outline) number(order map[string]int32) {
	if o.order = order; order == nil {
		o.order = make(map[string]int32, len(o.blocks))
		for i, b := range o.blocks {
			o.order[b.nodes[0].id] = int32(i)
		}
	}
	o.starts = make([]int32, len(o.blocks)+1)
	for i, b := range o.blocks {
		o.starts[i+1] = o.starts[i] + int32(len(b.nodes))
		o.seen += b.seen
	}
}

// Projects returns the ids of the active projects in document order.
func (o *Outline) Projects() []string {
	out := []string{}
	for _, b := range o.blocks {
		for _, i := range b.projects {
			out = append(out, b.nodes[i].id)
		}
	}
	return out
}

// len is how many nodes there are.
func (o *Outline) len() int { return int(o.starts[len(o.blocks)]) }

// blockOf returns the place of the block that has node i.
func (o *Outline) blockOf(i int32) int {
	return sort.Search(len(o.blocks), func(at int) bool { return o.starts[at+1] > i })
}

// node returns node i.
func (o *Outline) node(i int32) *branch {
	at := o.blockOf(i)
	return &o.blocks[at].nodes[i-o.starts[at]]
}

// parent returns the node above i, -1 for a document.
func (o *Outline) parent(i int32) int32 {
	at := o.blockOf(i)
	if up := o.blocks[at].nodes[i-o.starts[at]].parent; up >= 0 {
		return o.starts[at] + up
	}
	return -1
}

// last returns the last node of the subtree of i.
func (o *Outline) last(i int32) int32 {
	at := o.blockOf(i)
	return o.starts[at] + o.blocks[at].nodes[i-o.starts[at]].last
}

// hides reports whether node i, or one above it, is hidden.
func (o *Outline) hides(i int32) bool { return o.node(i).has(hidden) }
