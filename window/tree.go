// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// tree is an outline with the focus and the evidence of one request.
type tree struct {
	*Outline
	src     Source
	focus   ref             // noRef without a focus
	depth   int32           // of the focus
	pinned  []ref           // critical blocks of working memory
	recent  map[string]bool // files that blocks of the last hour are about
	covered map[string]bool // files that blocks of high priority show whole
	now     time.Time
	agent   string   // the calling agent
	shares  bool     // background blocks are ranked by class, as all others
	later   []ranked // background blocks, which get what the notes leave
	*scratch
}

// newTree returns the tree of a request, over its outline, or over a new one if the outline is of
// another state. The caller releases it.
func newTree(ctx context.Context, src Source, req *Request) (*tree, error) {
	outline := req.Outline
	if outline == nil || outline.root != src.Root() {
		var err error
		if outline, err = NewOutline(ctx, src); err != nil {
			return nil, err
		}
	}
	t := &tree{Outline: outline, src: src, focus: noRef, agent: req.Caller.Agent, shares: req.Policy == PolicyShares}
	var focus Item
	if req.Focus != "" {
		item, ok := src.Item(req.Focus)
		ref, found := t.find(req.Focus)
		if !ok || !found {
			return nil, fmt.Errorf("window: focus %q: %w", req.Focus, ErrUnknownFocus)
		}
		focus, t.focus = item, ref
	}
	t.findWorking(req.Caller.Now)
	t.scratch = scratches.Get().(*scratch)
	t.grow(outline.len())
	if t.focused() {
		t.markRelations(&focus)
	}
	return t, nil
}

// release clears the working memory and returns it to the pool.
func (t *tree) release() {
	t.clearEvidence(t.Outline)
	t.clearCandidates(t.Outline)
	scratches.Put(t.scratch)
	t.scratch = nil
}

// focused reports whether there is a focus.
func (t *tree) focused() bool { return t.focus != noRef }

// find returns the position of the node with an id, by the document that the source reports.
func (t *tree) find(id string) (ref, bool) {
	doc, path := t.src.Document(id)
	if doc == "" {
		return noRef, false
	}
	index, ok := t.blockAt(path)
	if !ok || t.blocks[index].nodes[0].id != doc { // the source has no paths
		index = slices.IndexFunc(t.blocks, func(b *block) bool { return b.nodes[0].id == doc })
	}
	if index < 0 {
		return noRef, false
	}
	local, ok := t.blocks[index].find(id)
	return ref{int32(index), local}, ok
}

// ensureEvidence returns the evidence of a node, and creates it if there is none. The pointer is
// valid until the next call.
func (t *tree) ensureEvidence(r ref) *evidence {
	slot := &t.evidenceSlots[t.number(r)]
	if *slot == 0 {
		t.evidence = append(t.evidence, evidence{ref: r})
		*slot = int32(len(t.evidence))
	}
	return &t.evidence[*slot-1]
}

// evidenceOf returns the evidence of a node, or nil.
func (t *tree) evidenceOf(r ref) *evidence {
	if slot := t.evidenceSlots[t.number(r)]; slot > 0 {
		return &t.evidence[slot-1]
	}
	return nil
}

// hasMark reports whether a node has one of the flags in its evidence.
func (t *tree) hasMark(r ref, f flag) bool {
	e := t.evidenceOf(r)
	return e != nil && e.flags&f != 0
}

// markRelations marks the path to the focus and the nodes linked with it.
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
			depth = t.branchDepths[n.parent] // parent exists: the document itself is on the path
		}
		t.branchDepths = append(t.branchDepths, depth)
	}
	newLinks(focus).mark(t)
}

// distance returns the number of edges between a node and the focus. Documents are
// children of one virtual root.
func (t *tree) distance(r ref) int32 {
	depth := t.node(r).depth
	if r.block != t.focus.block {
		return t.distanceAcross(depth)
	}
	return depth + t.depth - 2*t.branchDepths[r.local]
}

// distanceAcross returns the distance between the focus and a node of the given depth
// in another document.
func (t *tree) distanceAcross(depth int32) int32 { return depth + t.depth + 2 }

// isFocusChild reports whether a node is a child of the focus.
func (t *tree) isFocusChild(r ref) bool {
	return r.block == t.focus.block && t.node(r).parent == t.focus.local
}
