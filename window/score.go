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
//
// It looks at the nodes that something speaks for and at those of the document of the
// focus. All others differ in depth and prior alone, so that a document is passed over
// of which the topmost are not among the best.
func (t *tree) rank(similar map[string]float64, projects []int32, limit int) []ranked {
	t.spread(similar)
	outline := make(map[int32]bool, len(projects))
	for _, i := range projects {
		t.mark(i, touched)
		outline[i] = true
	}
	first := top{limit: min(limit, t.seen)}
	for _, i := range t.hits {
		if at := t.blockOf(i); at != t.home {
			t.offer(&first, at, i-t.starts[at], outline)
		}
	}
	for at, b := range t.blocks {
		switch start := t.starts[at]; {
		case at == t.home:
			for i := range b.nodes {
				t.offer(&first, at, int32(i), outline)
			}
		case slices.ContainsFunc(b.plain, func(c class) bool { return first.takes(ranked{start, t.far(c.depth) * c.prior}) }):
			for i := range b.nodes {
				if n := &b.nodes[i]; !n.has(hidden) && !t.marked(start+int32(i), touched) {
					first.add(ranked{start + int32(i), t.far(n.depth) * prior(n)})
				}
			}
		}
	}
	return first.sorted()
}

// spread sets the scores of the nodes that are similar, and of those around them.
func (t *tree) spread(similar map[string]float64) {
	for id, score := range similar {
		if i, ok := t.find(id); ok {
			t.mark(i, touched)
			t.own[i] = min(max(score, 0), 1)
		}
	}
	for _, i := range t.hits[:len(t.hits):len(t.hits)] {
		own := t.own[i]
		if own == 0 {
			continue
		}
		at := t.blockOf(i)
		b, start := t.blocks[at], t.starts[at]
		n := &b.nodes[i-start]
		if n.parent >= 0 {
			t.beside(start+n.parent, own)
		}
		for k := i - start + 1; k <= n.last; k = b.nodes[k].last + 1 {
			t.beside(start+k, own)
		}
	}
}

// beside notes a similarity next to node i.
func (t *tree) beside(i int32, score float64) {
	t.mark(i, touched)
	t.around[i] = max(t.around[i], score)
}

// offer adds a node of a block to the best.
func (t *tree) offer(first *top, at int, local int32, outline map[int32]bool) {
	b, i := &t.blocks[at].nodes[local], t.starts[at]+local
	if b.has(hidden) || i == t.focus {
		return
	}
	apart := t.away(b.depth)
	if at == t.home {
		apart = b.depth + t.depth - 2*t.branches[local]
	}
	score := t.fuse(t.own[i], t.around[i], b.depth, apart)
	if at == t.home && t.starts[at]+b.parent == t.focus {
		score += weightChild
	}
	if t.marked(i, linksTo|linkedFrom) {
		score += weightLink
	}
	if outline[i] {
		score += 2 * weightOutline
	}
	first.add(ranked{i, score * prior(b)})
}

// fuse adds up the arms that every node has.
func (t *tree) fuse(own, around float64, depth, apart int32) float64 {
	score := weightSimilar*own + weightAround*around + weightOutline/float64(1+depth)
	if t.focus >= 0 {
		score += weightNear / float64(max(1, apart))
	}
	return score
}

// far is the score, before its prior, of a node in another document than that of the
// focus which nothing speaks for.
func (t *tree) far(depth int32) float64 { return t.fuse(0, 0, depth, t.away(depth)) }

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
