// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/working"
)

// shares are the shares of the budget up to which PolicyShares fills a window class by class.
var shares = [...]struct {
	class working.Priority
	share float64
}{{working.High, 0.8}, {working.Medium, 0.9}, {working.Low, 0.95}}

// spendShares shows candidates class by class, each class up to its share of the budget, the best
// first. Candidates that do not fit are skipped, but a block that is too large is compressed to as
// many lines as its class leaves space for. The rest of the budget stays free for the answer. If the
// request sets a reserve, a second pass spends what exceeds it on the other candidates, shortened
// if need be.
func (p *plan) spendShares() {
	order := make([]int, 0, len(p.tree.best))
	for _, r := range p.tree.best {
		if i, _ := p.candidate(r.ref); !p.isCritical(i) {
			order = append(order, i)
		}
	}
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

// reserved returns the remaining tokens that only critical blocks may take: with PolicyShares the
// request's reserve, by default all; with other policies none.
func (p *plan) reserved() int {
	switch {
	case p.req.Policy != PolicyShares:
		return 0
	case p.req.Limits.Reserve == nil:
		return p.sel.Remaining
	}
	return (p.req.Budget**p.req.Limits.Reserve + 99) / 100
}
