// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/choose"
)

// firstShare is the share of the budget that the best node gets: the whole node if it
// fits, else its best lines. It is measured on notes as long as conversations; see the
// decision record on what fills a window.
const firstShare = 1.0 / 3

// showFirst shows the best node for a question before any other: whole, or its best
// lines.
func (p *plan) showFirst() {
	if p.question.Len() == 0 {
		return
	}
	i := p.first()
	if i < 0 || p.candidates[i].Estimates[Full] == 0 {
		return
	}
	share := int(firstShare * float64(p.req.Budget))
	if p.sel.Fits(&p.candidates[i], Full, choose.Slack) && p.price(i, Full)-p.price(i, Title) <= share && p.sel.Show(i, Full, choose.Slack) {
		return
	}
	p.showLines(i, share)
}

// first returns the best candidate that is similar to the request, -1 for none.
func (p *plan) first() int {
	for i := range p.details {
		if n := &p.details[i]; n.rank == 1 {
			if e := p.tree.evidenceOf(n.ref); e != nil && e.similarity > 0 {
				return i
			}
			break
		}
	}
	return -1
}

// showLines shows the best lines of candidate i that have at most the given number of
// tokens, besides its heading, and no more than the agent and the budget allow. It
// reports whether it shows more than before.
func (p *plan) showLines(i, tokens int) bool {
	c, n := &p.candidates[i], &p.details[i]
	if n.info.bodyBytes == 0 || c.Estimates[Full] == 0 || c.Level > Snippet {
		return false
	}
	return p.fitLines(i, min(tokens, p.sel.Affordable(i)-p.price(i, Title)))
}

// fitLines shows as many of the best lines of candidate i as the given number of tokens
// holds, if those are more than it shows already.
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

// fit chooses as many of the best lines of candidate i as the given number of tokens holds,
// nil if they have at most most tokens.
func (p *plan) fit(x *text.Excerpt, i, tokens, most int) *text.Excerpt {
	const tries = 6 // costs of lines are estimates, so their number is searched for
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
	var best [maxRank]int
	for i := range p.details {
		if rank := p.details[i].rank; 0 < rank && rank <= maxRank {
			best[rank-1] = i + 1
		}
	}
	for _, i := range best {
		if p.sel.Remaining < max(p.sel.MinPiece, p.req.Budget/minShare) {
			return
		}
		if i == 0 {
			continue
		}
		e := p.tree.evidenceOf(p.details[i-1].ref)
		if e != nil && e.similarity > 0 || isCompressible(p.tree.workingOf(p.details[i-1].ref)) {
			p.showLines(i-1, p.req.Budget)
		}
	}
}
