// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "context"

// tree is an outline seen from a focus.
type tree struct {
	*Outline
	focus int32   // -1 without a focus
	marks []flag  // linksTo, linkedFrom and onPath, by node
	apart []int32 // edges to the focus by way of the lowest common ancestor
}

// newTree looks at the outline of a request, or at a new one where it has none
// of this state, from the focus of the request.
func newTree(ctx context.Context, src Source, req *Request) (*tree, error) {
	outline := req.Outline
	if outline == nil || outline.root != src.Root() {
		var err error
		if outline, err = Prepare(ctx, src); err != nil {
			return nil, err
		}
	}
	t := &tree{Outline: outline, focus: -1, marks: make([]flag, len(outline.nodes))}
	if req.Focus == "" {
		return t, nil
	}
	item, ok := src.Item(req.Focus)
	at, met := outline.at[req.Focus]
	if !ok || !met {
		return nil, focusError(req.Focus)
	}
	t.focus = at
	for i := at; i >= 0; i = t.nodes[i].parent {
		t.marks[i] |= onPath
	}
	t.setApart()
	newLinks(t, &item).mark(t, src)
	return t, nil
}

// marked reports whether one of some facts about the focus holds for node i.
func (t *tree) marked(i int32, f flag) bool { return t.marks[i]&f != 0 }

// setApart measures how far each node is from the focus. Documents count as
// children of one unseen root.
func (t *tree) setApart() {
	focusDepth := t.nodes[t.focus].depth
	common := make([]int32, len(t.nodes)) // depth of the lowest common ancestor
	t.apart = make([]int32, len(t.nodes))
	for i := range t.nodes {
		b := &t.nodes[i]
		switch {
		case t.marked(int32(i), onPath):
			common[i] = b.depth
		case b.parent >= 0:
			common[i] = common[b.parent]
		default:
			common[i] = -1
		}
		t.apart[i] = b.depth + focusDepth - 2*common[i]
	}
}

// document returns the topmost node above i.
func (t *tree) document(i int32) int32 {
	for t.nodes[i].parent >= 0 {
		i = t.nodes[i].parent
	}
	return i
}
