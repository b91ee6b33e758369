// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
	"strings"
)

// write puts the chosen pieces in order and makes the window.
func (p *plan) write() *Window {
	w := &Window{
		Budget: p.req.Budget, Counter: p.req.Counter.Name(), Policy: p.req.Policy, Root: p.src.Root(),
		Omitted: p.omitted, OmittedTop: p.top, Bound: p.bound,
	}
	order := p.order()
	var b strings.Builder
	b.WriteString(p.render.head(p.heading()))
	w.Tokens = p.costs.head + p.costs.tail
	for n, i := range order {
		pc := p.piece(i, p.all[i].level)
		if n > 0 {
			b.WriteString(p.render.joint())
		}
		b.WriteString(pc.text)
		tokens := pc.tokens
		if n == 0 {
			tokens -= p.costs.joint
		}
		w.Tokens += tokens
		w.Parts = append(w.Parts, p.part(i, tokens))
	}
	b.WriteString(p.render.tail())
	w.Text = b.String()
	if !addsUp(p.req.Counter) {
		w.Tokens = p.count(w.Text)
	}
	return w
}

// part makes the account of one candidate.
func (p *plan) part(i, tokens int) Part {
	n := &p.nodes[i]
	b := n.branch
	reason := p.focusWhy
	switch {
	case i == p.focus:
	case p.req.Policy == PolicyFoveal:
		reason = p.reasonFoveal(i)
	default:
		reason = p.reasonValue(i)
	}
	if b.agent != "" {
		reason += "; by agent " + lineOf(b.agent) + ", not trusted"
	}
	level := p.all[i].level
	return Part{
		ID: b.id, Title: titleOf(p.item(i), level), Level: level, Tokens: tokens,
		Score: n.score, Reason: reason, Digest: b.digest,
	}
}

// order returns the shown candidates as the text has them: parents before
// children, documents and siblings in their order, but the branch of the focus
// after its siblings, so that the focus comes last without repeating a heading.
// PolicyFoveal has the projects first, as they were given.
func (p *plan) order() []int {
	kids := map[int][]int{}
	for i := range p.all {
		if p.all[i].level != Absent {
			up := int(p.all[i].parent)
			if up >= 0 && p.all[up].level == Absent {
				up = -1 // a degraded window without the ancestors of its focus
			}
			kids[up] = append(kids[up], i)
		}
	}
	project := map[ref]int{}
	if p.req.Policy == PolicyFoveal {
		for n, r := range p.projects {
			project[r] = n + 1
		}
	}
	place := func(i int) [4]int {
		r := p.nodes[i].ref
		at := [4]int{0, 0, int(r.block), int(r.local)}
		if n := project[r]; n > 0 && p.all[i].parent < 0 {
			at[1] = n - len(project) - 1
		}
		if p.t.marked(r, onPath) && p.req.Policy != PolicyFoveal {
			at[0] = 1
		}
		return at
	}
	var order []int
	var visit func(up int)
	visit = func(up int) {
		slices.SortFunc(kids[up], func(a, b int) int {
			x, y := place(a), place(b)
			return slices.CompareFunc(x[:], y[:], cmp.Compare[int])
		})
		for _, i := range kids[up] {
			order = append(order, i)
			visit(i)
		}
	}
	visit(-1)
	return order
}
