// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "context"

// tree is an outline seen from a focus.
type tree struct {
	*Outline
	src   Source
	focus ref   // nowhere without a focus
	depth int32 // of the focus
	quick bool  // nodes are found by the places of the outline
	*scratch
}

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
	t := &tree{Outline: outline, src: src, focus: nowhere, quick: outline.worth()}
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
	if t.focused() {
		t.look(&focus)
	}
	return t, nil
}

// release gives back what t knows of single nodes.
func (t *tree) release() {
	t.forget(t.Outline)
	t.clear(t.Outline)
	scratches.Put(t.scratch)
	t.scratch = nil
}

// focused reports whether there is a focus.
func (t *tree) focused() bool { return t.focus != nowhere }

// find returns where the node with an id stands.
func (t *tree) find(id string) (ref, bool) {
	if t.quick {
		return t.placed(t.src, id)
	}
	return t.sought(t.src, id)
}

// note returns what is known of a node, to be added to. It is good until the next note.
func (t *tree) note(r ref) *heard {
	slot := &t.slots[t.number(r)]
	if *slot == 0 {
		t.heard = append(t.heard, heard{ref: r})
		*slot = int32(len(t.heard))
	}
	return &t.heard[*slot-1]
}

// known returns what is known of a node, nil for nothing.
func (t *tree) known(r ref) *heard {
	if slot := t.slots[t.number(r)]; slot > 0 {
		return &t.heard[slot-1]
	}
	return nil
}

// marked reports whether one of some facts about the focus holds for a node.
func (t *tree) marked(r ref, f flag) bool {
	h := t.known(r)
	return h != nil && h.flags&f != 0
}

// look marks what the focus has to do with others.
func (t *tree) look(focus *Item) {
	b := t.blocks[t.focus.block]
	t.depth = b.nodes[t.focus.local].depth
	for i := t.focus.local; i >= 0; i = b.nodes[i].parent {
		t.note(ref{t.focus.block, i}).flags |= onPath
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		at := n.depth
		if !t.marked(ref{t.focus.block, int32(i)}, onPath) {
			at = t.branches[n.parent] // a document with the focus is on its path
		}
		t.branches = append(t.branches, at)
	}
	newLinks(t, focus).mark(t)
}

// apart is how many edges lie between a node and the focus, by way of the lowest
// common ancestor. Documents count as children of one unseen root.
func (t *tree) apart(r ref) int32 {
	depth := t.node(r).depth
	if r.block != t.focus.block {
		return t.away(depth)
	}
	return depth + t.depth - 2*t.branches[r.local]
}

// away is how many edges lie between the focus and a node of another document.
func (t *tree) away(depth int32) int32 { return depth + t.depth + 2 }

// under reports whether a node is a child of the focus.
func (t *tree) under(r ref) bool {
	return r.block == t.focus.block && t.node(r).parent == t.focus.local
}
