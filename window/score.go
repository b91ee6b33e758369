// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"

	"github.com/fovea-memory/fovea/internal/bound"
)

// Weights of the arms of the fused score. Each arm is between 0 and 1, the scale of the
// similarity. They were tuned by hand on the development half of the cross-reference
// cases; see the decision record on window rendering.
const (
	weightSimilar   = 1.0
	weightNeighbour = 0.2  // the best similarity among parent and children
	weightDistance  = 0.15 // 1 / edges to the focus
	weightChild     = 0.15 // child of the focus
	weightLink      = 0.25 // link from or to the focus
	weightOutline   = 5e-4
)

// Priors multiply the fused score. They stay within [0.9, 1.1], so that they only order
// nodes with about equal scores.
const (
	priorActive    = 1.05
	priorDone      = 0.95
	priorUntrusted = 0.95
)

// rank returns the best limit visible nodes, best first, without the focus. Equal
// scores keep document order.
//
// It scores the nodes with evidence and those in the document of the focus. All other
// nodes differ by depth and prior only, so a document is skipped if its topmost nodes
// are not among the best, and the scan ends where no document could contribute. The
// result is valid until the next call.
func (t *tree) rank(limit int) []ranked {
	t.later = t.later[:0]
	top := bound.NewTop(min(limit, t.visible), worse, t.best)
	home := t.focus.block
	for i := range t.evidence {
		if e := &t.evidence[i]; e.block != home {
			t.rankNode(&top, e.ref, e)
		}
	}
	t.rankDesk(&top)
	if home >= 0 {
		for i := range t.blocks[home].nodes {
			r := ref{home, int32(i)}
			t.rankNode(&top, r, t.evidenceOf(r))
		}
	}
	for index := range int32(len(t.blocks)) {
		if !t.couldRank(&top, t.priorClasses, index) {
			break
		}
		b := t.blocks[index]
		if index == home || !t.couldRank(&top, b.priorClasses, index) || t.isCovered(ref{index, 0}) || t.isAnothers(ref{index, 0}) {
			continue
		}
		for i := range b.nodes {
			r := ref{index, int32(i)}
			if n := &b.nodes[i]; !n.has(hidden) && t.evidenceOf(r) == nil && b.working == nil {
				top.Add(ranked{r, t.distantScore(n.depth) * prior(n)})
			}
		}
	}
	t.best = top.Sorted()
	return t.best
}

// couldRank reports whether a node of one of the classes in a block would be among the
// best without evidence.
func (t *tree) couldRank(best *bound.Top[ranked], classes []priorClass, block int32) bool {
	return slices.ContainsFunc(classes, func(c priorClass) bool {
		return best.Accepts(ranked{ref{block, 0}, t.distantScore(c.minDepth) * c.prior})
	})
}

// addSimilarities records the scores of similar nodes, and raises the scores of their
// parents and children.
func (t *tree) addSimilarities(scores []Scored) {
	for _, s := range scores {
		if r, ok := t.find(s.ID); ok {
			e := t.ensureEvidence(r)
			e.similarity, e.reason = min(max(s.Score, 0), 1), s.Reason
		}
	}
	for i := range t.evidence[:len(t.evidence):len(t.evidence)] {
		e := t.evidence[i]
		if e.similarity == 0 {
			continue
		}
		nodes := t.blocks[e.block].nodes
		n := &nodes[e.local]
		if n.parent >= 0 {
			t.raiseNeighbour(ref{e.block, n.parent}, e.similarity)
		}
		for child := e.local + 1; child <= n.last; child = nodes[child].last + 1 {
			t.raiseNeighbour(ref{e.block, child}, e.similarity)
		}
	}
}

// raiseNeighbour records that a node is adjacent to one with the given similarity.
func (t *tree) raiseNeighbour(r ref, score float64) {
	e := t.ensureEvidence(r)
	e.neighbourSimilarity = max(e.neighbourSimilarity, score)
}

// rankNode scores a node and adds it to best, unless it is hidden or the focus; e is its
// evidence, nil for none.
func (t *tree) rankNode(best *bound.Top[ranked], r ref, e *evidence) {
	switch {
	case t.node(r).has(hidden), r == t.focus, t.isCovered(r), t.isGone(r), t.isAnothers(r) && r.block != t.focus.block:
	case t.isBackground(r):
		t.later = append(t.later, ranked{r, t.score(r, e)})
	default:
		best.Add(ranked{r, t.score(r, e)})
	}
}

// score returns the fused score of a node; e is its evidence, nil for none.
func (t *tree) score(r ref, e *evidence) float64 {
	if e == nil {
		e = new(evidence)
	}
	info := t.node(r)
	score := t.fuse(e.similarity, e.neighbourSimilarity, info.depth, t.distance(r))
	if t.isFocusChild(r) {
		score += weightChild
	}
	if e.flags&(linksTo|linkedFrom) != 0 {
		score += weightLink
	}
	if e.flags&requested != 0 {
		score += 2 * weightOutline
	}
	return t.workingScore(r, score, prior(info))
}

// fuse adds up the arms that apply to every node.
func (t *tree) fuse(similarity, neighbour float64, depth, distance int32) float64 {
	score := weightSimilar*similarity + weightNeighbour*neighbour + weightOutline/float64(1+depth)
	if t.focused() {
		score += weightDistance / float64(max(1, distance))
	}
	return score
}

// distantScore returns the score, before its prior, of a node without evidence in
// another document than the focus.
func (t *tree) distantScore(depth int32) float64 { return t.fuse(0, 0, depth, t.distanceAcross(depth)) }

// prior returns the factor for the state and author of a node.
func prior(b *nodeInfo) float64 {
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

// rankValue is the estimated probability that the node at a rank, from 0, is relevant.
// It depends on the rank only because uncalibrated scores mean little beyond the order.
func rankValue(rank int) float64 {
	d := float64(5 + rank)
	return 1 / (d * d)
}

// ranked is a node with its fused score.
type ranked struct {
	ref
	score float64
}

// worse reports whether a ranks below b; equal scores keep document order.
func worse(a, b ranked) bool {
	return a.score < b.score || a.score == b.score && (b.block < a.block || b.block == a.block && b.local < a.local)
}
