// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/working"
)

// class is the class of candidate i: that of a block is its own, and a focus is critical. A note
// that matches the request, or is near the focus, is medium, any other low, at whatever level it
// is shown.
func (p *plan) class(i int) working.Priority {
	r := p.details[i].ref
	w := p.tree.workingOf(r)
	switch {
	case i == p.focus:
		return working.Critical
	case w != nil:
		return w.Priority
	case p.matches(r):
		return working.Medium
	}
	return working.Low
}

// matches reports whether a node is similar to the request, linked with the focus, or at most two
// steps from it in its document.
func (p *plan) matches(r ref) bool {
	e := p.tree.evidenceOf(r)
	return e != nil && (e.similarity > 0 || e.flags&(onPath|linksTo|linkedFrom) != 0) || r.block == p.tree.focus.block && p.tree.distance(r) <= 2
}

// arrayOrder returns the shown candidates in the order of a JSON array: by class, and the best of a
// class first. The focus is the last of the critical ones.
func (p *plan) arrayOrder() []int {
	type key struct {
		class, focus      int
		score, confidence float64
	}
	keys := map[int]key{}
	order := p.documentOrder()
	for _, i := range order {
		k := key{class: slices.Index(working.Priorities, p.class(i)), score: p.details[i].score}
		if w := p.tree.workingOf(p.details[i].ref); w != nil {
			k.confidence = w.Confidence
		}
		if i == p.focus {
			k.focus = 1
		}
		keys[i] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := keys[a], keys[b]
		return cmp.Or(x.class-y.class, x.focus-y.focus, cmp.Compare(y.score, x.score), cmp.Compare(y.confidence, x.confidence))
	})
	return order
}

// criticalFirst moves the critical blocks to the front of the text.
func (p *plan) criticalFirst(order []int) []int {
	rest := func(i int) int {
		if slices.Contains(p.critical, i) {
			return 0
		}
		return 1
	}
	if len(p.critical) > 0 {
		slices.SortStableFunc(order, func(a, b int) int { return rest(a) - rest(b) })
	}
	return order
}
