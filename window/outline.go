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
	root         merkle.Digest
	blocks       []*block
	firstNumbers []int32      // the number of the first node of each block, and of all nodes
	visible      int          // how many are not hidden
	priorClasses []priorClass // at least those of the blocks
	projects     []string     // the ids of the active ones
	lookup       nodeLookup
}

// ref tells a node of an outline: its block, and its number within.
type ref struct{ block, local int32 }

// nowhere is no node.
var noRef = ref{-1, -1}

// compare is by document order.
func (r ref) compare(o ref) int {
	return cmp.Or(cmp.Compare(r.block, o.block), cmp.Compare(r.local, o.local))
}

// before reports whether r stands before o.
func (r ref) before(o ref) bool { return r.compare(o) < 0 }

// DocumentChange names a document that is not what it was: one that came, went or
// changed. Path is where it stands, ID its id, "" if it is gone. Unchanged, where not nil,
// reports of a node with this id in it whether its item is what it was, so that it need
// not be read again.
type DocumentChange struct {
	Path, ID  string
	Unchanged func(id string) bool
}

// NewOutline walks a source once, for the Outline of any number of requests over
// the same state. It reads each item once and fails with the error of ctx alone.
func NewOutline(ctx context.Context, src Source) (*Outline, error) {
	docs := src.Documents()
	o := &Outline{root: src.Root(), blocks: make([]*block, 0, len(docs)), firstNumbers: make([]int32, 1, len(docs)+1)}
	for _, id := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b := newBlock(src, id, previousBlock{}); b != nil {
			o.appendBlocks(b)
			o.addTotals(b)
		}
	}
	o.projects = o.collectProjects()
	o.lookup = nodeLookup{index: newNodeIndex(false)}
	return o, nil
}

// append adds blocks behind the last, and numbers their nodes.
func (o *Outline) appendBlocks(blocks ...*block) {
	for _, b := range blocks {
		o.blocks = append(o.blocks, b)
		o.firstNumbers = append(o.firstNumbers, o.firstNumbers[len(o.firstNumbers)-1]+int32(len(b.nodes)))
	}
}

// share adds the blocks of another outline from one place to another, and numbers their
// nodes without looking at them.
func (o *Outline) appendShared(other *Outline, from, to int) {
	offset := o.firstNumbers[len(o.firstNumbers)-1] - other.firstNumbers[from]
	o.blocks = append(o.blocks, other.blocks[from:to]...)
	for _, start := range other.firstNumbers[from+1 : to+1] {
		o.firstNumbers = append(o.firstNumbers, start+offset)
	}
}

// enter adds what a block brings to the whole.
func (o *Outline) addTotals(b *block) {
	o.visible += b.visible
	for _, c := range b.priorClasses {
		o.priorClasses = mergeClass(o.priorClasses, c)
	}
}

// WithChanges returns the outline of the state that src shows, which differs from that of o
// in some documents: it reads the items of those alone that are not the same. docs may be in any order and
// name a document that did not change. O(nodes of docs, and a copy of 12 bytes a document).
func (o *Outline) WithChanges(src Source, docs []DocumentChange) *Outline {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b DocumentChange) int { return strings.Compare(a.Path, b.Path) })
	size := len(o.blocks) + len(docs)
	n := &Outline{
		root: src.Root(), blocks: make([]*block, 0, size), firstNumbers: make([]int32, 1, size+1),
		visible: o.visible, priorClasses: slices.Clone(o.priorClasses), projects: o.projects,
	}
	var delta outlineDelta
	copied := 0 // blocks of o
	for _, d := range docs {
		index, existed := o.blockAt(d.Path)
		n.appendShared(o, copied, index)
		var prev previousBlock
		if copied = index; existed {
			prev = previousBlock{block: o.blocks[index], unchanged: d.Unchanged}
			delta.removed = append(delta.removed, o.blocks[index])
			n.visible -= o.blocks[index].visible
			copied++
		}
		var fresh *block
		if d.ID != "" {
			fresh = newBlock(src, d.ID, prev)
		}
		if existed != (fresh != nil) {
			delta.shifts++
		} else if existed {
			fresh.index.Store(o.blocks[index].index.Load())
		}
		if fresh != nil {
			n.appendBlocks(fresh)
			n.addTotals(fresh)
			delta.added = append(delta.added, fresh)
		}
	}
	n.appendShared(o, copied, len(o.blocks))
	if delta.affectsProjects() {
		n.projects = n.collectProjects()
	}
	n.lookup = o.lookup.update(n, delta)
	return n
}

// change is the blocks by which two outlines differ, and how many documents only one of
// them has.
type outlineDelta struct {
	removed, added []*block
	shifts         int
}

// projects reports whether there are projects in one of them.
func (c outlineDelta) affectsProjects() bool {
	has := func(b *block) bool { return len(b.projects) > 0 }
	return slices.ContainsFunc(c.removed, has) || slices.ContainsFunc(c.added, has)
}

// Projects returns the ids of the active projects in document order. The list is shared.
func (o *Outline) Projects() []string { return o.projects }

func (o *Outline) collectProjects() []string {
	out := []string{}
	for _, b := range o.blocks {
		for _, i := range b.projects {
			out = append(out, b.nodes[i].id)
		}
	}
	return out
}

// len is how many nodes there are.
func (o *Outline) len() int { return int(o.firstNumbers[len(o.blocks)]) }

// blockAt returns the place of the block of a path, or where it would stand.
func (o *Outline) blockAt(path string) (int, bool) {
	return slices.BinarySearchFunc(o.blocks, path, func(b *block, path string) int { return strings.Compare(b.path, path) })
}

// number returns the number of a node.
func (o *Outline) number(r ref) int32 { return o.firstNumbers[r.block] + r.local }

// node returns a node.
func (o *Outline) node(r ref) *nodeInfo { return &o.blocks[r.block].nodes[r.local] }

// parent returns the node above another one, nowhere for a document.
func (o *Outline) parent(r ref) ref {
	if parent := o.node(r).parent; parent >= 0 {
		return ref{r.block, parent}
	}
	return noRef
}

// shownAbove returns the nearest node above another one that is not hidden.
func (o *Outline) visibleParent(r ref) ref {
	for r = o.parent(r); r != noRef && o.isHidden(r); {
		r = o.parent(r)
	}
	return r
}

// hides reports whether a node, or one above it, is hidden.
func (o *Outline) isHidden(r ref) bool { return o.node(r).has(hidden) }
