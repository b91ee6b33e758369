// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/window/choose"
)

// requestedProjects returns the visible projects among ids in their order, without
// duplicates, and flags them as requested.
func requestedProjects(t *tree, ids []string) []ref {
	for i := range t.evidence {
		t.evidence[i].flags &^= requested
	}
	var out []ref
	for _, id := range ids {
		if r, ok := t.find(id); ok && !t.isHidden(r) && !t.hasMark(r, requested) {
			t.ensureEvidence(r).flags |= requested
			out = append(out, r)
		}
	}
	return out
}

// gatherFoveal makes candidates of all nodes of the projects, of the focus and its children, of the
// focus's neighbours with the headings above them, and of the critical blocks. A project inside another
// one is part of the outer one.
func (p *plan) gatherFoveal() {
	p.scale = weightSimilar
	for _, root := range p.projects {
		if p.inProject(p.tree.parent(root)) {
			continue
		}
		for i := root.local; i <= p.tree.node(root).last; i++ {
			if r := (ref{root.block, i}); !p.tree.isHidden(r) || r == p.tree.focus {
				p.attach(r, root)
			}
		}
	}
	p.gatherPath()
	p.gatherPinned()
	for _, r := range p.fullNodes() {
		p.attach(r, noRef)
	}
	p.gatherCorrections()
	p.gatherLater()
	for i := range p.candidates {
		n := &p.details[i]
		n.stars = 1
		if parent := p.candidates[i].Parent; parent >= 0 {
			n.stars = p.details[parent].stars + 1
		}
		if e := p.tree.evidenceOf(n.ref); e != nil && i != p.focus {
			n.score = e.similarity
		}
		if i != p.focus {
			n.similar = p.isNeighbour(n.score)
		}
	}
}

// fullNodes returns the children of the focus, and the neighbours of the focus or, without
// one, of the question, in document order.
func (p *plan) fullNodes() []ref {
	var nodes []ref
	if p.tree.focused() {
		blockNodes := p.tree.blocks[p.tree.focus.block].nodes
		for i := p.tree.focus.local + 1; i <= blockNodes[p.tree.focus.local].last; i = blockNodes[i].last + 1 {
			nodes = append(nodes, ref{p.tree.focus.block, i})
		}
	}
	p.tree.later = p.tree.later[:0]
	for _, e := range p.tree.evidence {
		switch {
		case e.similarity == 0 || e.ref == p.tree.focus || !p.isNeighbour(e.similarity) || p.tree.isAnothers(e.ref):
		case p.tree.isBackground(e.ref):
			p.tree.later = append(p.tree.later, ranked{e.ref, e.similarity})
		default:
			nodes = append(nodes, e.ref)
		}
	}
	slices.SortFunc(nodes, ref.compare)
	return slices.DeleteFunc(slices.Compact(nodes), p.tree.isHidden)
}

// isNeighbour reports whether a similarity above 0 reaches the threshold.
func (p *plan) isNeighbour(score float64) bool { return score > 0 && score >= p.req.Limits.Threshold }

// inProject reports whether a node is a requested project or below one.
func (p *plan) inProject(r ref) bool {
	for ; r != noRef; r = p.tree.parent(r) {
		if p.tree.hasMark(r, requested) {
			return true
		}
	}
	return false
}

// targetLevel returns the level at which the policy shows candidate i if the budget allows.
func (p *plan) targetLevel(i int) Level {
	n := &p.details[i]
	if i == p.focus || n.similar || p.isCritical(i) || p.tree.isFocusChild(n.ref) {
		return Full
	}
	return Title
}

// spendFoveal shows as much as fits, in this order: titles of depth 1 and 2, the
// children of the focus in full, its neighbours in full, deeper titles. The rest of the
// budget stays unused.
func (p *plan) spendFoveal() {
	const maxFirstDepth = 2
	var first, children, neighbours, deeper []int
	for i := range p.candidates {
		n := &p.details[i]
		switch {
		case i == p.focus:
			continue
		case n.stars <= maxFirstDepth:
			first = append(first, i)
		default:
			deeper = append(deeper, i)
		}
		switch {
		case p.tree.isFocusChild(n.ref):
			children = append(children, i)
		case n.similar:
			neighbours = append(neighbours, i)
		}
	}
	byStars := func(a, b int) int { return cmp.Compare(p.details[a].stars, p.details[b].stars) }
	slices.SortStableFunc(first, byStars)
	slices.SortStableFunc(deeper, byStars)
	slices.SortStableFunc(neighbours, func(a, b int) int { return cmp.Compare(p.details[b].score, p.details[a].score) })
	p.showAll(first, Title)
	p.showAll(children, Full)
	p.showAll(neighbours, Full)
	p.showAll(deeper, Title)
}

func (p *plan) showAll(list []int, level Level) {
	for _, i := range list {
		p.sel.Show(i, level, 2)
	}
}

// account returns the number of absent candidates, and the value shown as a share of
// the value without a budget.
func (p *plan) account() (omitted int, share float64) {
	shown, total := 0.0, 0.0
	for i := range p.candidates {
		if !p.isInText(i) {
			omitted++
		}
		target := p.targetLevel(i)
		total += choose.Worth(target)
		shown += choose.Worth(min(target, p.candidates[i].Level))
	}
	if total == 0 {
		return omitted, 1
	}
	return omitted, shown / total
}

// reasonFoveal returns the reason why candidate i is shown.
func (p *plan) reasonFoveal(i int) string {
	n := &p.details[i]
	switch {
	case p.isCritical(i):
		return p.reasonBlock(i)
	case p.tree.hasMark(n.ref, onPath) && p.candidates[i].Level == Title:
		return "ancestor of the focus"
	case p.tree.isFocusChild(n.ref):
		return "child of the focus"
	case n.similar && !p.tree.focused():
		return fmt.Sprintf("similar to the question (%.2f)", n.score)
	case n.similar:
		return fmt.Sprintf("similar to the focus (%.2f)", n.score)
	default:
		return "outline"
	}
}
