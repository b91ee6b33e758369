// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"

	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/working"
)

// shares are the shares of the budget up to which PolicyShares fills a window class by class.
var shares = [...]struct {
	class working.Priority
	share float64
}{{working.High, 0.8}, {working.Medium, 0.9}, {working.Low, 0.95}}

// spendShares shows candidates class by class, each up to its share of the budget, the best
// first. What does not fit is passed over, but a block that is too large for any place is
// compressed, and has as many lines as its class leaves room for. The rest of the budget stays
// free for the answer, unless the request sets that share: then a second pass gives what is
// above it to the rest, which may be shortened.
func (p *plan) spendShares() {
	order := make([]int, 0, len(p.candidates))
	for i := range p.candidates {
		if p.details[i].rank > 0 && !p.isCritical(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(p.details[a].rank) - int(p.details[b].rank) })
	reserve := 0
	if p.req.Limits.Reserve != nil {
		reserve = p.reserved()
	}
	for _, s := range shares {
		kept := max(reserve, p.req.Budget-int(s.share*float64(p.req.Budget)))
		p.sel.Remaining -= kept
		for _, i := range order {
			if p.sel.Remaining > 0 && p.class(i) == s.class && !p.sel.Show(i, Full, choose.Slack) && p.isTooLarge(i) {
				p.showLines(i, p.compressedTokens())
			}
		}
		for _, i := range order {
			if p.sel.Remaining > 0 && p.class(i) == s.class && p.candidates[i].Level == Snippet {
				p.showLines(i, p.req.Budget)
			}
		}
		p.sel.Remaining += kept
	}
	if p.req.Limits.Reserve == nil {
		return
	}
	p.sel.Remaining -= reserve
	for _, s := range shares {
		for _, i := range order {
			for to := Full; p.class(i) == s.class && to > p.candidates[i].Level; to-- {
				if p.sel.Show(i, to, choose.Slack) || to == Snippet && p.isTooLarge(i) && p.showLines(i, p.compressedTokens()) {
					break
				}
			}
		}
	}
	p.sel.Remaining += reserve
}

// reserved returns the tokens of the rest that only critical blocks may take: none, but
// with PolicyShares the request's reserve, by default all.
func (p *plan) reserved() int {
	switch {
	case p.req.Policy != PolicyShares:
		return 0
	case p.req.Limits.Reserve == nil:
		return p.sel.Remaining
	}
	return (p.req.Budget**p.req.Limits.Reserve + 99) / 100
}
