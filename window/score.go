// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
)

// The weights of the arms of the fused score. Each arm is between 0 and 1, the
// similarity's own scale. They were set by hand on the development half of the
// cross-reference cases; see the decision record on window rendering.
const (
	weightSimilar = 1.0
	weightAround  = 0.4 // the best similarity among parent and children
	weightNear    = 0.3 // 1 / edges to the focus
	weightChild   = 0.3 // child of the focus
	weightLink    = 0.5 // link from or to the focus
	weightOutline = 1e-3
)

// The priors multiply the fused score and stay within [0.9, 1.1], so that they
// order what is about equal and decide nothing else.
const (
	priorActive    = 1.05
	priorDone      = 0.95
	priorUntrusted = 0.95
)

// ranked is a node with its fused score.
type ranked struct {
	node  int32
	score float64
}

// rank returns the best limit nodes that may be shown, the best first, without
// the focus. similar may be nil. Equal scores keep document order.
func (t *tree) rank(similar map[string]float64, projects []string, limit int) []ranked {
	own := t.similarities(similar)
	around := t.around(own)
	outline := make(map[int32]bool, len(projects))
	for _, id := range projects {
		outline[t.at[id]] = true
	}
	first := top{limit: min(limit, t.seen)}
	for i := range t.nodes {
		b := &t.nodes[i]
		if b.has(hidden) || int32(i) == t.focus {
			continue
		}
		score := t.fuse(int32(i), own[i], around[i])
		if len(outline) > 0 && outline[int32(i)] {
			score += 2 * weightOutline
		}
		first.add(ranked{int32(i), score * prior(b)})
	}
	return first.sorted()
}

// similarities are the scores by node.
func (t *tree) similarities(similar map[string]float64) []float64 {
	own := make([]float64, len(t.nodes))
	for id, score := range similar {
		if i, ok := t.at[id]; ok {
			own[i] = min(max(score, 0), 1)
		}
	}
	return own
}

// around is the best score among the parent and the children of each node.
func (t *tree) around(own []float64) []float64 {
	most := make([]float64, len(own))
	for i := range t.nodes {
		if p := t.nodes[i].parent; p >= 0 {
			most[p] = max(most[p], own[i])
			most[i] = max(most[i], own[p])
		}
	}
	return most
}

// fuse adds up the arms for one node.
func (t *tree) fuse(i int32, own, around float64) float64 {
	b := &t.nodes[i]
	score := weightSimilar*own + weightAround*around + weightOutline/float64(1+b.depth)
	if t.focus < 0 {
		return score
	}
	score += weightNear / float64(max(1, t.apart[i]))
	if b.parent == t.focus {
		score += weightChild
	}
	if t.marked(i, linksTo|linkedFrom) {
		score += weightLink
	}
	return score
}

func prior(b *branch) float64 {
	p := 1.0
	switch {
	case b.has(active):
		p = priorActive
	case b.has(done):
		p = priorDone
	}
	if b.agent != "" {
		p *= priorUntrusted
	}
	return min(max(p, 0.9), 1.1)
}

// top keeps the best of what is added, equal scores in the order of adding: a
// heap with the worst of them at its root.
type top struct {
	limit int
	heap  []ranked
}

// worse reports whether a ranks behind b.
func worse(a, b ranked) bool {
	return a.score < b.score || a.score == b.score && a.node > b.node
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
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.node, b.node))
	})
	return t.heap
}

// worth is the probability that the node at a rank, from 0, is what is wanted:
// uncalibrated scores say little beyond the order.
func worth(rank int) float64 {
	d := float64(5 + rank)
	return 1 / (d * d)
}
