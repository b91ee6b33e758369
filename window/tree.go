// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"sync"
)

// tree is an outline seen from a focus.
type tree struct {
	*Outline
	src   Source
	focus int32 // -1 without a focus
	home  int   // the block of the focus, -1 without one
	depth int32 // of the focus
	quick bool  // nodes are found by the places of the outline
	*scratch
}

// scratch is what a tree knows of single nodes, by number: nothing for most of them.
// It is kept between windows, clean.
type scratch struct {
	marks    []flag    // linksTo, linkedFrom, onPath and touched
	own      []float64 // similarity
	around   []float64 // the best similarity among the parent and the children
	hits     []int32   // the nodes that are touched, the only ones with any of these
	branches []int32   // of the nodes in the document of the focus: the depth where they leave its path
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// newTree looks at the outline of a request, or at a new one where it has none
// of this state, from the focus of the request. The caller releases it.
func newTree(ctx context.Context, src Source, req *Request) (*tree, error) {
	outline := req.Outline
	if outline == nil || outline.root != src.Root() {
		var err error
		if outline, err = Prepare(ctx, src); err != nil {
			return nil, err
		}
	}
	t := &tree{Outline: outline, src: src, focus: -1, home: -1, quick: outline.worth()}
	var focus Item
	if req.Focus != "" {
		item, ok := src.Item(req.Focus)
		at, met := t.find(req.Focus)
		if !ok || !met {
			return nil, focusError(req.Focus)
		}
		focus, t.focus = item, at
	}
	t.scratch = scratches.Get().(*scratch)
	t.fit(outline.len())
	if t.focus >= 0 {
		t.look(&focus)
	}
	return t, nil
}

// fit makes room for so many nodes, and for some that the next states have more.
func (s *scratch) fit(nodes int) {
	if len(s.marks) < nodes {
		nodes += nodes / 8
		s.marks, s.own, s.around = make([]flag, nodes), make([]float64, nodes), make([]float64, nodes)
	}
}

// release gives back what t knows of single nodes.
func (t *tree) release() {
	s := t.scratch
	for _, i := range s.hits {
		s.marks[i], s.own[i], s.around[i] = 0, 0, 0
	}
	s.hits, s.branches = s.hits[:0], s.branches[:0]
	scratches.Put(s)
	t.scratch = nil
}

// find returns the number of the node with an id.
func (t *tree) find(id string) (int32, bool) {
	if t.quick {
		return t.placed(id)
	}
	return t.sought(t.src, id)
}

// mark notes facts about node i.
func (t *tree) mark(i int32, f flag) {
	if t.marks[i] == 0 {
		t.hits = append(t.hits, i)
	}
	t.marks[i] |= f | touched
}

// marked reports whether one of some facts about the focus holds for node i.
func (t *tree) marked(i int32, f flag) bool { return t.marks[i]&f != 0 }

// look marks what the focus has to do with others.
func (t *tree) look(focus *Item) {
	t.home, t.depth = t.blockOf(t.focus), t.node(t.focus).depth
	for i := t.focus; i >= 0; i = t.parent(i) {
		t.mark(i, onPath)
	}
	b, first := t.blocks[t.home], t.starts[t.home]
	for i := range b.nodes {
		n := &b.nodes[i]
		at := n.depth
		if !t.marked(first+int32(i), onPath) {
			at = t.branches[n.parent] // a document with the focus is on its path
		}
		t.branches = append(t.branches, at)
	}
	newLinks(t, focus).mark(t)
}

// apart is how many edges lie between node i and the focus, by way of the lowest
// common ancestor. Documents count as children of one unseen root.
func (t *tree) apart(i int32) int32 {
	at := t.blockOf(i)
	b := &t.blocks[at].nodes[i-t.starts[at]]
	if at != t.home {
		return t.away(b.depth)
	}
	return b.depth + t.depth - 2*t.branches[i-t.starts[at]]
}

// away is how many edges lie between the focus and a node of another document.
func (t *tree) away(depth int32) int32 { return depth + t.depth + 2 }
