// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/choose"
)

// firstShare is the share of the budget that the best node gets: the whole node if it fits, else its
// best lines. It was measured on long conversations; see the decision record on what fills a window.
const firstShare = 1.0 / 3

// showFirst shows the best node for a question before any other: whole, or by its best lines.
func (p *plan) showFirst() {
	if p.question.Len() == 0 || len(p.tree.best) == 0 {
		return
	}
	best := p.tree.best[0].ref
	i, _ := p.candidate(best)
	if e := p.tree.evidenceOf(best); e == nil || e.similarity == 0 || p.candidates[i].Estimates[Full] == 0 {
		return
	}
	share := int(firstShare * float64(p.req.Budget))
	if p.sel.Fits(&p.candidates[i], Full, choose.Slack) && p.price(i, Full)-p.price(i, Title) <= share && p.sel.Show(i, Full, choose.Slack) {
		return
	}
	p.showLines(i, share)
}

// showLines shows the best lines of candidate i in at most the given number of tokens, its heading
// not counted, and within the agent's quota and the budget. It reports whether more is shown than
// before.
func (p *plan) showLines(i, tokens int) bool {
	c, n := &p.candidates[i], &p.details[i]
	if n.info.bodyBytes == 0 || c.Estimates[Full] == 0 || c.Level > Snippet {
		return false
	}
	return p.fitLines(i, min(tokens, p.sel.Affordable(i)-p.price(i, Title)))
}

// fitLines shows as many of the best lines of candidate i as fit in the given number of tokens, if
// these are more than are shown already.
func (p *plan) fitLines(i, tokens int) bool {
	c, n := &p.candidates[i], &p.details[i]
	was, most := n.excerpt, 0
	if c.Level == Snippet {
		most = int(c.Cost) - p.price(i, Title)
	}
	x := p.fit(p.shorten(i), i, tokens, most)
	if x == nil {
		p.setExcerpt(i, was)
		return false
	}
	price := p.setExcerpt(i, x)
	c.Estimates[Snippet] = int32(price)
	if c.Level == Snippet {
		p.sel.SetLevel(i, Snippet, price)
		return true
	}
	return p.sel.Show(i, Snippet, choose.Slack)
}

// fit chooses as many of the best lines of candidate i as fit in the given number of tokens. It
// returns nil if these do not take more than most tokens.
func (p *plan) fit(x *text.Excerpt, i, tokens, most int) *text.Excerpt {
	const tries = 6 // the costs of lines are estimates, so the right limit is searched for
	title, best := p.price(i, Title), 0
	for limit, try := min(4*tokens, x.Enough()), 0; try < tries && limit > 0; try++ {
		x.Choose(limit, true)
		got := p.setExcerpt(i, x) - title
		if got <= tokens && got > most && x.HasChosen() {
			best, most = limit, got
		}
		if got <= 0 || !x.HasChosen() || got <= tokens && (x.IsWhole() || got >= tokens*9/10) {
			break
		}
		limit = limit * tokens * 97 / (got * 100)
	}
	if best == 0 {
		return nil
	}
	x.Choose(best, true)
	return x
}

// setExcerpt sets the lines of candidate i at level snippet and returns their price.
func (p *plan) setExcerpt(i int, x *text.Excerpt) int {
	n := &p.details[i]
	n.excerpt, n.pieceSlots[Snippet] = x, 0
	return p.price(i, Snippet)
}

// fillLines gives the rest of the budget to the lines of the best candidates.
func (p *plan) fillLines() {
	const maxRank, minShare = 16, 50 // the number of candidates tried; less than 1/minShare of the budget is not worth it
	for _, r := range p.tree.best[:min(maxRank, len(p.tree.best))] {
		if p.sel.Remaining < max(p.sel.MinPiece, p.req.Budget/minShare) {
			return
		}
		i, _ := p.candidate(r.ref)
		e := p.tree.evidenceOf(r.ref)
		if e != nil && e.similarity > 0 || isCompressible(p.tree.workingOf(r.ref)) {
			p.showLines(i, p.req.Budget)
		}
	}
}
