// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/render"
)

// assemble joins the chosen pieces into the window.
func (p *plan) assemble() *Window {
	w := &Window{
		Budget: p.req.Budget, Counter: p.req.Counter.Name(), Policy: p.req.Policy, Root: p.src.Root(),
		Omitted: p.omitted, OmittedTop: p.omittedTop, Bound: p.bound, Missing: p.tree.missingChildren(), Gone: p.gone, Shown: p.remember(),
	}
	order := p.textOrder()
	p.stateDays(order)
	var b strings.Builder
	w.Parts = make([]Part, 0, len(order))
	b.WriteString(p.renderer.Head(p.heading()))
	b.WriteString(p.remark)
	w.Tokens = p.costs.head + p.count(p.remark) + p.costs.tail
	for n, i := range order {
		pc := p.piece(i, p.candidates[i].Level)
		if n > 0 {
			b.WriteString(p.renderer.Separator())
		}
		b.WriteString(pc.text)
		tokens := pc.tokens
		if n == 0 {
			tokens -= p.costs.separator
		}
		w.Tokens += tokens
		w.Parts = append(w.Parts, p.newPart(i, tokens))
	}
	seenAll := len(order) == 0 && p.isSession() && len(p.req.Session.Shown.Nodes) > 0 && p.req.Session.Layout != LayoutSticky
	if text := p.renderer.Remark(nothingRemark); seenAll && w.Tokens+p.count(text) <= p.req.Budget {
		b.WriteString(text)
		w.Tokens += p.count(text)
	}
	if p.req.Policy == PolicyFoveal && p.omitted > 0 && !p.isSession() {
		if line := p.renderer.Remark(outlineRemark(p.omitted)); w.Tokens+p.count(line) <= p.req.Budget {
			b.WriteString(line)
			w.Tokens += p.count(line)
		}
	}
	b.WriteString(p.renderer.Tail())
	w.Text = b.String()
	if !isAdditive(p.req.Counter) {
		w.Tokens = p.count(w.Text)
	}
	return w
}

// newPart describes candidate i, which adds tokens to the text.
func (p *plan) newPart(i, tokens int) Part {
	n := &p.details[i]
	b := n.info
	reason := p.focusReason
	switch {
	case i == p.focus:
	case p.req.Policy == PolicyFoveal:
		reason = p.reasonFoveal(i)
	default:
		reason = p.reasonValue(i)
	}
	if b.agent != "" {
		reason += "; by agent " + text.Line(b.agent) + ", " + p.trustOf(i)
	}
	if n.corrected {
		reason += "; corrected since you saw it"
	}
	level := p.candidates[i].Level
	return Part{
		ID: b.id, Handle: p.item(i).Handle, Title: render.TitleOf(p.item(i), level), Path: p.tree.blocks[n.block].path, Level: level,
		Tokens: tokens, Score: n.score, Reason: reason, Digest: b.digest, Problem: n.problem,
	}
}

// trustOf describes the agent who wrote candidate i: the caller, trusted, or not trusted.
func (p *plan) trustOf(i int) string {
	switch n := p.details[i].info; {
	case n.agent == p.req.Caller.Agent:
		return "who asks"
	case p.candidates[i].Agent < 0:
		return "trusted"
	}
	return "not trusted"
}

// parentInText returns the nearest candidate above i that is in the text, -1 for none: a degraded
// window omits the ancestors of its focus, and a session's window what the session has seen.
func (p *plan) parentInText(i int) int {
	parent := int(p.candidates[i].Parent)
	for parent >= 0 && !p.isInText(parent) {
		parent = int(p.candidates[parent].Parent)
	}
	return parent
}

// documentOrder returns the shown candidates in document order.
func (p *plan) documentOrder() []int {
	var order []int
	for i := range p.candidates {
		if p.isInText(i) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return p.details[a].compare(p.details[b].ref) })
	return order
}

// textOrder returns the shown candidates in the order of the text: parents before
// children, documents and siblings in document order, except that the branch of the
// focus follows its siblings. So the focus comes last and no heading is repeated. Critical
// blocks come first. PolicyFoveal then puts the projects, in the order of the request. The
// entries of JSON have an order of their own.
func (p *plan) textOrder() []int {
	switch {
	case p.req.Format == FormatJSON:
		return p.arrayOrder()
	case !p.tree.focused() && p.req.Policy != PolicyFoveal:
		return p.criticalFirst(p.documentOrder())
	}
	children := map[int][]int{}
	for i := range p.candidates {
		if p.isInText(i) {
			parent := p.parentInText(i)
			children[parent] = append(children[parent], i)
		}
	}
	project := map[ref]int{}
	if p.req.Policy == PolicyFoveal {
		for n, r := range p.projects {
			project[r] = n + 1
		}
	}
	sortKey := func(i int) [4]int {
		r := p.details[i].ref
		key := [4]int{0, 0, int(r.block), int(r.local)}
		if n := project[r]; n > 0 && p.candidates[i].Parent < 0 {
			key[1] = n - len(project) - 1
		}
		if p.tree.hasMark(r, onPath) && p.req.Policy != PolicyFoveal {
			key[0] = 1
		}
		return key
	}
	var order []int
	var appendChildren func(parent int)
	appendChildren = func(parent int) {
		slices.SortFunc(children[parent], func(a, b int) int {
			x, y := sortKey(a), sortKey(b)
			return slices.CompareFunc(x[:], y[:], cmp.Compare[int])
		})
		for _, i := range children[parent] {
			order = append(order, i)
			appendChildren(i)
		}
	}
	appendChildren(-1)
	return p.criticalFirst(order)
}
