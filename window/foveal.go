// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
)

// outlined returns the requested projects that may be shown, in their order, and notes
// them.
func outlined(t *tree, ids []string) []ref {
	for i := range t.heard {
		t.heard[i].flags &^= wanted
	}
	var out []ref
	for _, id := range ids {
		if r, ok := t.find(id); ok && !t.hides(r) && !t.marked(r, wanted) {
			t.note(r).flags |= wanted
			out = append(out, r)
		}
	}
	return out
}

// gatherFoveal makes candidates of every node in a project, of the focus with its
// children and of the neighbours, the latter with the headings above them. A
// project within another one is a part of the outer one.
func (p *plan) gatherFoveal() {
	for _, root := range p.projects {
		if p.inProject(p.t.parent(root)) {
			continue
		}
		for i := root.local; i <= p.t.node(root).last; i++ {
			if r := (ref{root.block, i}); !p.t.hides(r) || r == p.t.focus {
				p.hang(r, root)
			}
		}
	}
	p.gatherPath(func(r ref) int { return p.hang(r, nowhere) })
	for _, r := range p.full() {
		p.hang(r, nowhere)
	}
	for i := range p.all {
		n := &p.nodes[i]
		n.stars = 1
		if up := p.all[i].parent; up >= 0 {
			n.stars = p.nodes[up].stars + 1
		}
		if h := p.t.known(n.ref); h != nil && i != p.focus {
			n.score = h.own
		}
		if i != p.focus {
			n.similar = p.isNeighbour(n.score)
		}
	}
}

// full returns the children of the focus and its neighbours, in document order.
func (p *plan) full() []ref {
	if !p.t.focused() {
		return nil
	}
	var all []ref
	nodes := p.t.blocks[p.t.focus.block].nodes
	for i := p.t.focus.local + 1; i <= nodes[p.t.focus.local].last; i = nodes[i].last + 1 {
		all = append(all, ref{p.t.focus.block, i})
	}
	for _, h := range p.t.heard {
		if h.own > 0 && h.ref != p.t.focus && p.isNeighbour(h.own) {
			all = append(all, h.ref)
		}
	}
	slices.SortFunc(all, ref.compare)
	return slices.DeleteFunc(slices.Compact(all), p.t.hides)
}

// isNeighbour reports whether a similarity to the focus makes a neighbour.
func (p *plan) isNeighbour(score float64) bool {
	return p.t.focused() && score >= p.req.Threshold
}

// inProject reports whether a node is a project or below one.
func (p *plan) inProject(r ref) bool {
	for ; r != nowhere; r = p.t.parent(r) {
		if p.t.marked(r, wanted) {
			return true
		}
	}
	return false
}

// hang makes a node a candidate below the nearest shown node, up to root.
func (p *plan) hang(r, root ref) int {
	if at, met := p.candidate(r); met {
		return at
	}
	parent := -1
	if up := p.t.shownAbove(r); r != root && up != nowhere {
		parent = p.hang(up, root)
	}
	return p.add(r, parent)
}

// wanted is the level at which the policy shows candidate i.
func (p *plan) wanted(i int) Level {
	n := &p.nodes[i]
	if i == p.focus || n.similar || p.t.under(n.ref) {
		return Full
	}
	return Title
}

// spendFoveal shows, while they fit: the titles of depth 1 and 2, the children of
// the focus and then its neighbours whole, and the deeper titles. What is left
// of the budget stays unused.
func (p *plan) spendFoveal() {
	const always = 2
	var first, children, neighbours, deeper []int
	for i := range p.all {
		n := &p.nodes[i]
		switch {
		case i == p.focus:
			continue
		case n.stars <= always:
			first = append(first, i)
		default:
			deeper = append(deeper, i)
		}
		switch {
		case p.t.under(n.ref):
			children = append(children, i)
		case n.similar:
			neighbours = append(neighbours, i)
		}
	}
	byStars := func(a, b int) int { return cmp.Compare(p.nodes[a].stars, p.nodes[b].stars) }
	slices.SortStableFunc(first, byStars)
	slices.SortStableFunc(deeper, byStars)
	slices.SortStableFunc(neighbours, func(a, b int) int { return cmp.Compare(p.nodes[b].score, p.nodes[a].score) })
	p.takeAll(first, Title)
	p.takeAll(children, Full)
	p.takeAll(neighbours, Full)
	p.takeAll(deeper, Title)
}

func (p *plan) takeAll(list []int, level Level) {
	for _, i := range list {
		p.sel.take(i, level, 2)
	}
}

// accountFoveal returns how many candidates are absent, and the value shown as a
// share of what the policy would show without a budget.
func (p *plan) accountFoveal() (omitted int, share float64) {
	shown, wanted := 0.0, 0.0
	for i := range p.all {
		if p.all[i].level == Absent {
			omitted++
		}
		want := p.wanted(i)
		wanted += levelValues[want]
		shown += levelValues[min(want, p.all[i].level)]
	}
	if wanted == 0 {
		return omitted, 1
	}
	return omitted, shown / wanted
}

// reasonFoveal says why candidate i is shown.
func (p *plan) reasonFoveal(i int) string {
	n := &p.nodes[i]
	switch {
	case p.t.marked(n.ref, onPath) && p.all[i].level == Title:
		return "ancestor of the focus"
	case p.t.under(n.ref):
		return "child of the focus"
	case n.similar:
		return fmt.Sprintf("similar to the focus (%.2f)", n.score)
	default:
		return "outline"
	}
}
