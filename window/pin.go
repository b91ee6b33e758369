// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"fmt"
	"slices"
	"strings"
)

// gatherPath makes candidates of the focus and its visible ancestors.
func (p *plan) gatherPath() {
	if !p.tree.focused() {
		return
	}
	p.focus = p.attach(p.tree.focus, noRef)
	p.details[p.focus].score = 1
	p.candidates[p.focus].Estimates = [Full + 1]int32{}
	p.candidates[p.focus].Value = 0
}

// ancestors returns the candidates above the focus, the nearest first.
func (p *plan) ancestors() []int {
	var ancestors []int
	if p.focus >= 0 {
		for i := p.candidates[p.focus].Parent; i >= 0; i = p.candidates[i].Parent {
			ancestors = append(ancestors, int(i))
		}
	}
	return ancestors
}

// pinning is how much of the required parts is shown.
type pinning struct {
	focus, critical Level
	ancestors       bool   // the titles above the focus are shown
	compress        extent // how much of critical blocks that may be compressed
	reason          string // of the focus; "%d" is replaced by the budget of the whole
}

// pinnings lists the ways to show the required parts, of which the first that fits is taken: in full,
// with compressible critical blocks compressed, and with Request.Degrade the names of critical blocks
// with less and less of the focus.
func (p *plan) pinnings() []pinning {
	all := []pinning{{focus: Full, critical: Full, ancestors: true, reason: "focus"}}
	if len(p.compressible()) > 0 && !(p.isSession() && p.req.Session.wholeBlocks) {
		all = append(all, pinning{Full, Full, true, shared, "focus"}, pinning{Full, Full, true, minimal, "focus"})
	}
	if !p.req.Degrade {
		return all
	}
	if len(p.critical) > 0 {
		all = append(all, pinning{Full, Title, true, whole, "focus"})
	}
	if p.focus >= 0 {
		all = append(all,
			pinning{Snippet, Title, true, whole, "focus, its best paragraph: the whole needs a budget of %d"},
			pinning{Title, Title, true, whole, "focus, its title: the whole needs a budget of %d"},
			pinning{Title, Title, false, whole, "focus, its title without its ancestors' titles: the whole needs a budget of %d"})
	}
	return all
}

// required returns the candidates that every window shows, each with its level: the titles above the
// focus, the focus, and the critical blocks.
func (p *plan) required(as pinning) (indices []int, levels []Level) {
	add := func(i int, level Level) {
		indices, levels = append(indices, i), append(levels, level)
	}
	if p.focus >= 0 {
		if as.ancestors {
			for _, i := range slices.Backward(p.ancestors()) {
				add(i, Title)
			}
		}
		add(p.focus, as.focus)
	}
	for _, i := range p.critical {
		if as.compress != whole && isCompressible(p.tree.workingOf(p.details[i].ref)) {
			add(i, p.details[i].pinLevel)
			continue
		}
		add(i, as.critical)
	}
	return indices, levels
}

// minBudget returns the smallest budget that fits the required parts. If the counter is not additive,
// both the sum of the pieces and the count of the whole text must fit.
func (p *plan) minBudget(as pinning) int {
	sum := p.costs.head + p.costs.tail
	var text strings.Builder
	text.WriteString(p.renderer.Head(p.heading()))
	indices, levels := p.required(as)
	for n, i := range indices {
		if n > 0 {
			sum += p.costs.separator
			text.WriteString(p.renderer.Separator())
		}
		sum += p.price(i, levels[n]) - p.costs.separator
		text.WriteString(p.piece(i, levels[n]).text)
	}
	if isAdditive(p.req.Counter) {
		return sum
	}
	return max(sum, p.count(text.String()+p.renderer.Tail()))
}

// pin shows the required parts. It returns the tokens used so far, including the frame of the text and
// one separator less than the pieces count. complete reports whether the ancestors are shown, so that
// more nodes may be shown below them.
func (p *plan) pin(limit int) (used int, complete bool, err error) {
	all := p.pinnings()
	as, needed, err := p.choosePinning(all, limit)
	if err != nil {
		return 0, false, err
	}
	p.focusReason = as.reason
	if isReduced := as.critical < Full && len(p.critical) > 0; isReduced || strings.Contains(as.reason, "%d") {
		wholeBudget := p.minBudget(all[0])
		if strings.Contains(as.reason, "%d") {
			p.focusReason = fmt.Sprintf(as.reason, wholeBudget)
		}
		if isReduced {
			p.wholeBudget = wholeBudget
		}
	}
	indices, levels := p.required(as)
	if len(indices) == 0 {
		return needed - p.costs.separator, true, nil
	}
	for n, i := range indices {
		p.sel.Pin(i, levels[n])
	}
	p.pinned = append(p.pinned, indices...)
	return needed, as.ancestors, nil
}

// choosePinning returns the first of the pinnings that fits, and the tokens that it needs. Of those that
// only name critical blocks, it takes the first that leaves space for the most best lines.
func (p *plan) choosePinning(all []pinning, limit int) (best pinning, needed int, err error) {
	smallest, found, most := 0, false, 0
	for n, as := range all {
		if as.compress != whole && !p.compressCritical(as.compress) {
			continue
		}
		tokens := p.minBudget(as)
		if n == 0 || tokens < smallest {
			smallest = tokens
		}
		if tokens > p.req.Budget {
			continue
		}
		if as.critical == Full || len(p.critical) == 0 {
			return as, tokens, nil
		}
		if p.beginnings == nil {
			p.findBeginnings()
		}
		lines := len(p.fitting(p.critical, limit-tokens))
		if !found || lines > most {
			best, needed, found, most = as, tokens, true, lines
		}
	}
	if !found {
		return best, 0, &BudgetError{Needed: smallest, Budget: p.req.Budget, Focus: p.focus >= 0, Critical: len(p.critical), Degraded: p.req.Degrade}
	}
	return best, needed, nil
}
