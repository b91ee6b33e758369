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
	p.candidates[p.focus].estimates = [Full + 1]int32{}
	p.candidates[p.focus].value = 0
}

// ancestors returns the candidates above the focus, the nearest first.
func (p *plan) ancestors() []int {
	var ancestors []int
	if p.focus >= 0 {
		for i := p.candidates[p.focus].parent; i >= 0; i = p.candidates[i].parent {
			ancestors = append(ancestors, int(i))
		}
	}
	return ancestors
}

// minBudget returns the smallest budget that shows the focus at a level, with or
// without its ancestors' titles, and nothing else. If the counter is not additive, both
// the sum of the pieces and the count of the whole text must fit.
func (p *plan) minBudget(level Level, ancestors bool) int {
	sum := p.costs.head + p.costs.tail
	var text strings.Builder
	text.WriteString(p.renderer.head(p.heading()))
	if p.focus >= 0 {
		if ancestors {
			for _, i := range slices.Backward(p.ancestors()) {
				sum += p.price(i, Title)
				text.WriteString(p.piece(i, Title).text + p.renderer.separator())
			}
		}
		sum += p.price(p.focus, level) - p.costs.separator
		text.WriteString(p.piece(p.focus, level).text)
	}
	if isAdditive(p.req.Counter) {
		return sum
	}
	return max(sum, p.count(text.String()+p.renderer.tail()))
}

// pin shows the required parts. It returns the tokens used so far, including the frame
// of the text, with one separator less than the pieces account for. complete reports
// whether the ancestors are shown, so that more nodes may be shown below them.
func (p *plan) pin() (used int, complete bool, err error) {
	type option struct {
		level     Level
		ancestors bool
		reason    string
	}
	options := []option{{Full, true, "focus"}}
	if p.req.Degrade && p.focus >= 0 {
		options = append(options,
			option{Snippet, true, "focus, its best paragraph: the whole needs a budget of %d"},
			option{Title, true, "focus, its title: the whole needs a budget of %d"},
			option{Title, false, "focus, its title without its ancestors' titles: the whole needs a budget of %d"})
	}
	smallest := 0
	for n, option := range options {
		needed := p.minBudget(option.level, option.ancestors)
		if n == 0 || needed < smallest {
			smallest = needed
		}
		if needed > p.req.Budget {
			continue
		}
		if p.focusReason = option.reason; n > 0 {
			p.focusReason = fmt.Sprintf(option.reason, p.minBudget(Full, true))
		}
		if p.focus < 0 {
			return needed - p.costs.separator, true, nil
		}
		if option.ancestors {
			for _, i := range p.ancestors() {
				p.sel.pin(i, Title)
				p.pinned = append(p.pinned, i)
			}
		}
		p.sel.pin(p.focus, option.level)
		p.pinned = append(p.pinned, p.focus)
		return needed, option.ancestors, nil
	}
	return 0, false, &BudgetError{Needed: smallest, Budget: p.req.Budget, Focus: p.focus >= 0, Degraded: p.req.Degrade}
}
