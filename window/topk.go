// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
)

// ranked is a node with its fused score.
type ranked struct {
	ref
	score float64
}

// topK keeps the best limit nodes; equal scores keep document order. It is a heap with
// the worst node at its root.
type topK struct {
	limit int
	heap  []ranked
}

// worse reports whether a ranks below b.
func worse(a, b ranked) bool {
	return a.score < b.score || a.score == b.score && b.before(a.ref)
}

// accepts reports whether r would be kept.
func (t *topK) accepts(r ranked) bool {
	return len(t.heap) < t.limit || t.limit > 0 && worse(t.heap[0], r)
}

// add adds r if it is among the best so far.
func (t *topK) add(r ranked) {
	switch h := t.heap; {
	case len(h) < t.limit:
		t.heap = append(h, r)
		for i := len(h); i > 0 && worse(t.heap[i], t.heap[(i-1)/2]); i = (i - 1) / 2 {
			t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
		}
	case t.limit > 0 && worse(h[0], r):
		h[0] = r
		t.siftDown()
	}
}

// siftDown restores the heap after its root was replaced.
func (t *topK) siftDown() {
	h := t.heap
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if worse(h[child], h[worst]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// sorted returns the nodes, best first.
func (t *topK) sorted() []ranked {
	slices.SortFunc(t.heap, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.compare(b.ref))
	})
	return t.heap
}
