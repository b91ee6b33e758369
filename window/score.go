// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "slices"

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

// rank returns the best limit nodes that may be shown, the best first, without
// the focus. Equal scores keep document order.
//
// It looks at the nodes that something speaks for and at those of the document of the
// focus. All others differ in depth and prior alone, so that a document is passed over
// of which the topmost are not among the best, and so are all that follow where no
// document could have such. The answer is good until the next one.
func (t *tree) rank(limit int) []ranked {
	first := top{limit: min(limit, t.seen), heap: t.best[:0]}
	home := t.focus.block
	for i := range t.heard {
		if h := &t.heard[i]; h.block != home {
			t.offer(&first, h.ref, h)
		}
	}
	if home >= 0 {
		for i := range t.blocks[home].nodes {
			r := ref{home, int32(i)}
			t.offer(&first, r, t.known(r))
		}
	}
	for at := range int32(len(t.blocks)) {
		if !t.takes(&first, t.plain, at) {
			break
		}
		b := t.blocks[at]
		if at == home || !t.takes(&first, b.plain, at) {
			continue
		}
		for i := range b.nodes {
			r := ref{at, int32(i)}
			if n := &b.nodes[i]; !n.has(hidden) && t.known(r) == nil {
				first.add(ranked{r, t.far(n.depth) * prior(n)})
			}
		}
	}
	t.best = first.heap
	return first.sorted()
}

// takes reports whether a node of one of some classes, in a block, would be among the
// best where nothing speaks for it.
func (t *tree) takes(first *top, plain []class, block int32) bool {
	return slices.ContainsFunc(plain, func(c class) bool {
		return first.takes(ranked{ref{block, 0}, t.far(c.depth) * c.prior})
	})
}

// hear notes the nodes that are similar, and those around them.
func (t *tree) hear(similar []Scored) {
	for _, s := range similar {
		if r, ok := t.find(s.ID); ok {
			t.note(r).own = min(max(s.Score, 0), 1)
		}
	}
	for i := range t.heard[:len(t.heard):len(t.heard)] {
		h := t.heard[i]
		if h.own == 0 {
			continue
		}
		nodes := t.blocks[h.block].nodes
		n := &nodes[h.local]
		if n.parent >= 0 {
			t.beside(ref{h.block, n.parent}, h.own)
		}
		for kid := h.local + 1; kid <= n.last; kid = nodes[kid].last + 1 {
			t.beside(ref{h.block, kid}, h.own)
		}
	}
}

// beside notes a similarity next to a node.
func (t *tree) beside(r ref, score float64) {
	h := t.note(r)
	h.around = max(h.around, score)
}

// offer adds a node to the best; h is what is known of it, nil for nothing.
func (t *tree) offer(first *top, r ref, h *heard) {
	b := t.node(r)
	if b.has(hidden) || r == t.focus {
		return
	}
	if h == nil {
		h = new(heard)
	}
	score := t.fuse(h.own, h.around, b.depth, t.apart(r))
	if t.under(r) {
		score += weightChild
	}
	if h.flags&(linksTo|linkedFrom) != 0 {
		score += weightLink
	}
	if h.flags&wanted != 0 {
		score += 2 * weightOutline
	}
	first.add(ranked{r, score * prior(b)})
}

// fuse adds up the arms that every node has.
func (t *tree) fuse(own, around float64, depth, apart int32) float64 {
	score := weightSimilar*own + weightAround*around + weightOutline/float64(1+depth)
	if t.focused() {
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

// worth is the probability that the node at a rank, from 0, is what is wanted:
// uncalibrated scores say little beyond the order.
func worth(rank int) float64 {
	d := float64(5 + rank)
	return 1 / (d * d)
}
