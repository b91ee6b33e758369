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

// top keeps the best of what is added, equal scores in document order: a
// heap with the worst of them at its root.
type top struct {
	limit int
	heap  []ranked
}

// worse reports whether a ranks behind b.
func worse(a, b ranked) bool {
	return a.score < b.score || a.score == b.score && b.before(a.ref)
}

// takes reports whether r would be kept.
func (t *top) takes(r ranked) bool {
	return len(t.heap) < t.limit || t.limit > 0 && worse(t.heap[0], r)
}

func (t *top) add(r ranked) {
	switch h := t.heap; {
	case len(h) < t.limit:
		t.heap = append(h, r)
		for i := len(h); i > 0 && worse(t.heap[i], t.heap[(i-1)/2]); i = (i - 1) / 2 {
			t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
		}
	case t.limit > 0 && worse(h[0], r):
		h[0] = r
		t.sink()
	}
}

// sink restores the heap after its root was replaced.
func (t *top) sink() {
	h := t.heap
	for i := 0; ; {
		least := i
		for kid := 2*i + 1; kid <= 2*i+2 && kid < len(h); kid++ {
			if worse(h[kid], h[least]) {
				least = kid
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// sorted returns what was kept, the best first.
func (t *top) sorted() []ranked {
	slices.SortFunc(t.heap, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.compare(b.ref))
	})
	return t.heap
}
