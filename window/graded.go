// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
)

// A degraded window names all critical blocks, and spends the rest on them in this order: the best line
// of as many as possible, the whole of those that may not be compressed, equal shares for the others.
// Finally, in any window, the first critical blocks that are not whole get what remains.

// beginning is the smallest form of a block that shows more than its name.
type beginning struct {
	level  Level // Snippet: its best line; Full if that costs no more
	tokens int   // besides the name
}

// byRank returns the critical blocks, the best first.
func (p *plan) byRank() []int {
	score := func(i int) float64 { return p.tree.score(p.details[i].ref, p.tree.evidenceOf(p.details[i].ref)) }
	return slices.SortedStableFunc(slices.Values(p.critical), func(a, b int) int { return cmp.Compare(score(b), score(a)) })
}

// findBeginnings finds the beginnings of the critical blocks.
func (p *plan) findBeginnings() {
	p.beginnings = make(map[int]beginning, len(p.critical))
	for _, i := range p.critical {
		title, full := p.price(i, Title), p.price(i, Full)
		x := p.shorten(i)
		x.ChooseBest()
		if line := p.setExcerpt(i, x); line < full {
			p.beginnings[i] = beginning{Snippet, line - title}
		} else {
			p.beginnings[i] = beginning{Full, full - title}
		}
	}
}

// fitting returns as many of list as can show their beginnings within tokens. Among choices of the same
// size it prefers the first of list. O(n^2).
func (p *plan) fitting(list []int, tokens int) (chosen []int) {
	cost := func(i int) int { return p.beginnings[i].tokens }
	cheapest := slices.SortedStableFunc(slices.Values(list), func(a, b int) int { return cmp.Compare(cost(a), cost(b)) })
	most, sum := 0, 0
	for _, i := range cheapest {
		if sum += cost(i); sum > tokens {
			break
		}
		most++
	}
	for _, i := range list {
		cheapest = slices.DeleteFunc(cheapest, func(j int) bool { return j == i })
		with := cost(i)
		for _, j := range cheapest[:max(0, most-len(chosen)-1)] {
			with += cost(j)
		}
		if len(chosen) < most && with <= tokens {
			chosen, tokens = append(chosen, i), tokens-cost(i)
		}
	}
	return chosen
}

// spendCritical spends the rest of the budget on the critical blocks of a degraded window, which already
// shows their names.
func (p *plan) spendCritical() {
	list := p.byRank()
	for _, i := range p.fitting(list, p.sel.Remaining) {
		p.sel.Pin(i, p.beginnings[i].level)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(p.price(a, Full), p.price(b, Full)) })
	for _, i := range list {
		if !isCompressible(p.tree.workingOf(p.details[i].ref)) {
			p.showWhole(i, p.sel.Remaining)
		}
	}
	list = slices.DeleteFunc(list, func(i int) bool { return p.candidates[i].Level == Full })
	for n, i := range list {
		p.showMore(i, p.sel.Remaining/(len(list)-n))
	}
}

// showMore spends up to that many tokens more on a critical block: on the whole, or on more of its best
// lines. A block that shows only its name stays so: its best line does not fit, and a lesser one, such as
// a closing bracket, means nothing without it.
func (p *plan) showMore(i, tokens int) {
	isNameAlone := p.beginnings != nil && p.candidates[i].Level == Title
	if !isNameAlone && !p.showWhole(i, tokens) {
		p.fitLines(i, int(p.candidates[i].Cost)-p.price(i, Title)+tokens)
	}
}

// showWhole shows a critical block whole if that takes at most that many tokens.
func (p *plan) showWhole(i, tokens int) bool {
	fits := p.price(i, Full)-int(p.candidates[i].Cost) <= tokens
	if fits {
		p.sel.Pin(i, Full)
	}
	return fits
}

// reasonBlock returns the reason why a block is shown, and how it was shortened.
func (p *plan) reasonBlock(i int) string {
	n, level := &p.details[i], p.candidates[i].Level
	reason := "working memory, " + string(p.tree.workingOf(n.ref).Priority)
	if p.isCritical(i) && level < Full && p.wholeBudget > 0 {
		reason += fmt.Sprintf(", %s: the whole needs a budget of %d", level, p.wholeBudget)
	}
	if how := n.how(); how != "" && level == Snippet {
		reason += "; compressed: " + how
	}
	return reason
}
