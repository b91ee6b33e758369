// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
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
	keys := map[int][]float64{} // the lowest comes first
	order := p.documentOrder()
	for _, i := range order {
		last, confidence := 0.0, 0.0
		if w := p.tree.workingOf(p.details[i].ref); w != nil {
			confidence = w.Confidence
		}
		if i == p.focus {
			last = 1
		}
		keys[i] = []float64{float64(slices.Index(working.Priorities, p.class(i))), last, -p.details[i].score, -confidence}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(keys[a], keys[b]) })
	return order
}

// criticalFirst moves the critical blocks to the front of the text.
func (p *plan) criticalFirst(order []int) []int {
	critical := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return !slices.Contains(p.critical, i) })
	return append(critical, slices.DeleteFunc(order, func(i int) bool { return slices.Contains(critical, i) })...)
}
