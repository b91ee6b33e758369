// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "context"

// tree is an outline seen from a focus.
type tree struct {
	*Outline
	src     Source
	focus   ref   // nowhere without a focus
	depth   int32 // of the focus
	indexed bool  // nodes are found by the places of the outline
	*scratch
}

// newTree looks at the outline of a request, or at a new one where it has none
// of this state, from the focus of the request. The caller releases it.
func newTree(ctx context.Context, src Source, req *Request) (*tree, error) {
	outline := req.Outline
	if outline == nil || outline.root != src.Root() {
		var err error
		if outline, err = NewOutline(ctx, src); err != nil {
			return nil, err
		}
	}
	t := &tree{Outline: outline, src: src, focus: noRef, indexed: outline.useIndex()}
	var focus Item
	if req.Focus != "" {
		item, ok := src.Item(req.Focus)
		ref, found := t.find(req.Focus)
		if !ok || !found {
			return nil, focusError(req.Focus)
		}
		focus, t.focus = item, ref
	}
	t.scratch = scratches.Get().(*scratch)
	t.grow(outline.len())
	if t.focused() {
		t.markRelations(&focus)
	}
	return t, nil
}

// release gives back what t knows of single nodes.
func (t *tree) release() {
	t.clearEvidence(t.Outline)
	t.clearCandidates(t.Outline)
	scratches.Put(t.scratch)
	t.scratch = nil
}

// focused reports whether there is a focus.
func (t *tree) focused() bool { return t.focus != noRef }

// find returns where the node with an id stands.
func (t *tree) find(id string) (ref, bool) {
	if t.indexed {
		return t.findIndexed(t.src, id)
	}
	return t.findInSource(t.src, id)
}

// note returns what is known of a node, to be added to. It is good until the next note.
func (t *tree) ensureEvidence(r ref) *evidence {
	slot := &t.evidenceSlots[t.number(r)]
	if *slot == 0 {
		t.evidence = append(t.evidence, evidence{ref: r})
		*slot = int32(len(t.evidence))
	}
	return &t.evidence[*slot-1]
}

// known returns what is known of a node, nil for nothing.
func (t *tree) evidenceOf(r ref) *evidence {
	if slot := t.evidenceSlots[t.number(r)]; slot > 0 {
		return &t.evidence[slot-1]
	}
	return nil
}

// marked reports whether one of some facts about the focus holds for a node.
func (t *tree) hasMark(r ref, f flag) bool {
	e := t.evidenceOf(r)
	return e != nil && e.flags&f != 0
}

// look marks what the focus has to do with others.
func (t *tree) markRelations(focus *Item) {
	b := t.blocks[t.focus.block]
	t.depth = b.nodes[t.focus.local].depth
	for i := t.focus.local; i >= 0; i = b.nodes[i].parent {
		t.ensureEvidence(ref{t.focus.block, i}).flags |= onPath
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		depth := n.depth
		if !t.hasMark(ref{t.focus.block, int32(i)}, onPath) {
			depth = t.branchDepths[n.parent] // a document with the focus is on its path
		}
		t.branchDepths = append(t.branchDepths, depth)
	}
	newLinks(t, focus).mark(t)
}

// apart is how many edges lie between a node and the focus, by way of the lowest
// common ancestor. Documents count as children of one unseen root.
func (t *tree) distance(r ref) int32 {
	depth := t.node(r).depth
	if r.block != t.focus.block {
		return t.distanceAcross(depth)
	}
	return depth + t.depth - 2*t.branchDepths[r.local]
}

// away is how many edges lie between the focus and a node of another document.
func (t *tree) distanceAcross(depth int32) int32 { return depth + t.depth + 2 }

// under reports whether a node is a child of the focus.
func (t *tree) isFocusChild(r ref) bool {
	return r.block == t.focus.block && t.node(r).parent == t.focus.local
}
