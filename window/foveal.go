// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
)

// outlined returns the requested projects that may be shown, in their order.
func outlined(t *tree, ids []string) []int32 {
	var out []int32
	for _, id := range ids {
		if i, ok := t.find(id); ok && !t.hides(i) && !slices.Contains(out, i) {
			out = append(out, i)
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
		for i := root; i <= p.t.last(root); i++ {
			if !p.t.hides(i) || i == p.t.focus {
				p.hang(i, root)
			}
		}
	}
	p.gatherPath(func(i int32) int { return p.hang(i, -1) })
	for _, i := range p.full() {
		p.hang(i, -1)
	}
	for i := range p.all {
		p.nodes[i].stars = 1
		if up := p.all[i].parent; up >= 0 {
			p.nodes[i].stars = p.nodes[up].stars + 1
		}
		b := p.t.node(p.nodes[i].tree)
		if i != p.focus {
			p.nodes[i].score = min(max(p.similar[b.id], 0), 1)
			p.nodes[i].similar = p.isNeighbour(p.nodes[i].score)
		}
	}
}

// full returns the children of the focus and its neighbours, in document order.
func (p *plan) full() []int32 {
	if p.t.focus < 0 {
		return nil
	}
	var all []int32
	for i := p.t.focus + 1; i <= p.t.last(p.t.focus); i = p.t.last(i) + 1 {
		all = append(all, i)
	}
	for id, score := range p.similar {
		if i, ok := p.t.find(id); ok && i != p.t.focus && p.isNeighbour(score) {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(i int32) bool { return p.t.hides(i) })
}

// isNeighbour reports whether a similarity to the focus makes a neighbour.
func (p *plan) isNeighbour(score float64) bool {
	return p.t.focus >= 0 && score >= p.req.Threshold
}

// inProject reports whether the node at i is a project or below one.
func (p *plan) inProject(i int32) bool {
	for ; i >= 0; i = p.t.parent(i) {
		if slices.Contains(p.projects, i) {
			return true
		}
	}
	return false
}

// hang makes the node at i a candidate below the nearest shown node, up to root.
func (p *plan) hang(i, root int32) int {
	if at, met := p.at[i]; met {
		return at
	}
	parent := -1
	for up := p.t.parent(i); i != root && up >= 0; up = p.t.parent(up) {
		if !p.t.hides(up) {
			parent = p.hang(up, root)
			break
		}
	}
	return p.add(i, parent)
}

// wanted is the level at which the policy shows candidate i.
func (p *plan) wanted(i int) Level {
	n := &p.nodes[i]
	if i == p.focus || n.similar || p.t.focus >= 0 && p.t.parent(n.tree) == p.t.focus {
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
		case p.t.focus >= 0 && p.t.parent(n.tree) == p.t.focus:
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
	case p.t.marked(n.tree, onPath) && p.all[i].level == Title:
		return "ancestor of the focus"
	case p.t.focus >= 0 && p.t.parent(n.tree) == p.t.focus:
		return "child of the focus"
	case n.similar:
		return fmt.Sprintf("similar to the focus (%.2f)", n.score)
	default:
		return "outline"
	}
}
