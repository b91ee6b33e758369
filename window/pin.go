// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"fmt"
	"slices"
	"strings"
)

// gatherPath makes the focus and its ancestors candidates. attach makes a node one as
// this policy does. Hidden ancestors are left out.
func (p *plan) gatherPath(attach func(ref) int) {
	if !p.t.focused() {
		return
	}
	p.focus = attach(p.t.focus)
	p.nodes[p.focus].score = 1
	p.all[p.focus].plan = [Full + 1]int32{}
	p.all[p.focus].worth = 0
}

// path returns the candidates above the focus, the nearest first.
func (p *plan) path() []int {
	var up []int
	if p.focus >= 0 {
		for i := p.all[p.focus].parent; i >= 0; i = p.all[i].parent {
			up = append(up, int(i))
		}
	}
	return up
}

// needed is the smallest budget that shows the focus at a level, with or without
// its ancestors' titles, and nothing else. Where the tokens of pieces do not add
// up, both their sum and the count of the whole must fit.
func (p *plan) needed(level Level, ancestors bool) int {
	sum := p.costs.head + p.costs.tail
	var text strings.Builder
	text.WriteString(p.render.head(p.heading()))
	if p.focus >= 0 {
		if ancestors {
			for _, i := range slices.Backward(p.path()) {
				sum += p.price(i, Title)
				text.WriteString(p.piece(i, Title).text + p.render.joint())
			}
		}
		sum += p.price(p.focus, level) - p.costs.joint
		text.WriteString(p.piece(p.focus, level).text)
	}
	if addsUp(p.req.Counter) {
		return sum
	}
	return max(sum, p.count(text.String()+p.render.tail()))
}

// pin shows what must be shown. It returns the tokens spent so far, the frame of
// the text included and one joint less than pieces taken in account, and whether
// the tree below is whole, so that more may be shown.
func (p *plan) pin() (used int, whole bool, err error) {
	type way struct {
		level     Level
		ancestors bool
		why       string
	}
	ways := []way{{Full, true, "focus"}}
	if p.req.Degrade && p.focus >= 0 {
		ways = append(ways,
			way{Snippet, true, "focus, its best paragraph: the whole needs a budget of %d"},
			way{Title, true, "focus, its title: the whole needs a budget of %d"},
			way{Title, false, "focus, its title without its ancestors' titles: the whole needs a budget of %d"})
	}
	least := 0
	for n, w := range ways {
		need := p.needed(w.level, w.ancestors)
		if n == 0 || need < least {
			least = need
		}
		if need > p.req.Budget {
			continue
		}
		if p.focusWhy = w.why; n > 0 {
			p.focusWhy = fmt.Sprintf(w.why, p.needed(Full, true))
		}
		if p.focus < 0 {
			return need - p.costs.joint, true, nil
		}
		if w.ancestors {
			for _, i := range p.path() {
				p.sel.pin(i, Title)
				p.pinned = append(p.pinned, i)
			}
		}
		p.sel.pin(p.focus, w.level)
		p.pinned = append(p.pinned, p.focus)
		return need, w.ancestors, nil
	}
	return 0, false, &BudgetError{Needed: least, Budget: p.req.Budget, Focus: p.focus >= 0, Degraded: p.req.Degrade}
}
