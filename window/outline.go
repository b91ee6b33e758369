// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
)

// Outline is what all windows over one state have in common: the tree of its
// nodes without their text, in blocks of a document each. It never changes and may be
// used by many goroutines. It keeps the ids, agents and link targets of the state
// alive, about 150 bytes a node; outlines share the blocks of equal documents.
//
// Nodes are numbered in document order, documents in that of their paths.
type Outline struct {
	root     merkle.Digest
	blocks   []*block
	starts   []int32  // the number of the first node of each block, and of all nodes
	seen     int      // how many are not hidden
	plain    []class  // at least those of the blocks
	projects []string // the ids of the active ones
	places   places
}

// ref tells a node of an outline: its block, and its number within.
type ref struct{ block, local int32 }

// nowhere is no node.
var nowhere = ref{-1, -1}

// compare is by document order.
func (r ref) compare(o ref) int {
	return cmp.Or(cmp.Compare(r.block, o.block), cmp.Compare(r.local, o.local))
}

// before reports whether r stands before o.
func (r ref) before(o ref) bool { return r.compare(o) < 0 }

// Replaced names a document that is not what it was: one that came, went or
// changed. Path is where it stands, ID its id, "" if it is gone. Same, where not nil,
// reports of a node with this id in it whether its item is what it was, so that it need
// not be read again.
type Replaced struct {
	Path, ID string
	Same     func(id string) bool
}

// Prepare walks a source once, for the Outline of any number of requests over
// the same state. It reads each item once and fails with the error of ctx alone.
func Prepare(ctx context.Context, src Source) (*Outline, error) {
	docs := src.Documents()
	o := &Outline{root: src.Root(), blocks: make([]*block, 0, len(docs)), starts: make([]int32, 1, len(docs)+1)}
	for _, id := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b := newBlock(src, id, earlier{}); b != nil {
			o.append(b)
			o.enter(b)
		}
	}
	o.projects = o.allProjects()
	o.places = places{all: newRegister(false)}
	return o, nil
}

// append adds blocks behind the last, and numbers their nodes.
func (o *Outline) append(blocks ...*block) {
	for _, b := range blocks {
		o.blocks = append(o.blocks, b)
		o.starts = append(o.starts, o.starts[len(o.starts)-1]+int32(len(b.nodes)))
	}
}

// share adds the blocks of another outline from one place to another, and numbers their
// nodes without looking at them.
func (o *Outline) share(other *Outline, from, to int) {
	by := o.starts[len(o.starts)-1] - other.starts[from]
	o.blocks = append(o.blocks, other.blocks[from:to]...)
	for _, start := range other.starts[from+1 : to+1] {
		o.starts = append(o.starts, start+by)
	}
}

// enter adds what a block brings to the whole.
func (o *Outline) enter(b *block) {
	o.seen += b.seen
	for _, c := range b.plain {
		o.plain = addClass(o.plain, c)
	}
}

// Next returns the outline of the state that src shows, which differs from that of o
// in some documents: it reads the items of those alone that are not the same. docs may be in any order and
// name a document that did not change. O(nodes of docs, and a copy of 12 bytes a document).
func (o *Outline) Next(src Source, docs []Replaced) *Outline {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b Replaced) int { return strings.Compare(a.Path, b.Path) })
	size := len(o.blocks) + len(docs)
	n := &Outline{
		root: src.Root(), blocks: make([]*block, 0, size), starts: make([]int32, 1, size+1),
		seen: o.seen, plain: slices.Clone(o.plain), projects: o.projects,
	}
	var change change
	done := 0 // blocks of o
	for _, d := range docs {
		at, had := o.blockAt(d.Path)
		n.share(o, done, at)
		var was earlier
		if done = at; had {
			was = earlier{block: o.blocks[at], same: d.Same}
			change.gone = append(change.gone, o.blocks[at])
			n.seen -= o.blocks[at].seen
			done++
		}
		var now *block
		if d.ID != "" {
			now = newBlock(src, d.ID, was)
		}
		if had != (now != nil) {
			change.moved++
		} else if had {
			now.locals.Store(o.blocks[at].locals.Load())
		}
		if now != nil {
			n.append(now)
			n.enter(now)
			change.come = append(change.come, now)
		}
	}
	n.share(o, done, len(o.blocks))
	if change.projects() {
		n.projects = n.allProjects()
	}
	n.places = o.places.next(n, change)
	return n
}

// change is the blocks by which two outlines differ, and how many documents only one of
// them has.
type change struct {
	gone, come []*block
	moved      int
}

// projects reports whether there are projects in one of them.
func (c change) projects() bool {
	has := func(b *block) bool { return len(b.projects) > 0 }
	return slices.ContainsFunc(c.gone, has) || slices.ContainsFunc(c.come, has)
}

// Projects returns the ids of the active projects in document order. The list is shared.
func (o *Outline) Projects() []string { return o.projects }

func (o *Outline) allProjects() []string {
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

// blockAt returns the place of the block of a path, or where it would stand.
func (o *Outline) blockAt(path string) (int, bool) {
	return slices.BinarySearchFunc(o.blocks, path, func(b *block, path string) int { return strings.Compare(b.path, path) })
}

// number returns the number of a node.
func (o *Outline) number(r ref) int32 { return o.starts[r.block] + r.local }

// node returns a node.
func (o *Outline) node(r ref) *branch { return &o.blocks[r.block].nodes[r.local] }

// parent returns the node above another one, nowhere for a document.
func (o *Outline) parent(r ref) ref {
	if up := o.node(r).parent; up >= 0 {
		return ref{r.block, up}
	}
	return nowhere
}

// shownAbove returns the nearest node above another one that is not hidden.
func (o *Outline) shownAbove(r ref) ref {
	for r = o.parent(r); r != nowhere && o.hides(r); {
		r = o.parent(r)
	}
	return r
}

// hides reports whether a node, or one above it, is hidden.
func (o *Outline) hides(r ref) bool { return o.node(r).has(hidden) }
