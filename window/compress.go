// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/internal/outline"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/working"
)

// A block that does not fit is compressed: at level snippet it shows the outline of its code, or the
// passages of its text that matter most for the request and represent the whole.
const (
	// compressedShare is the maximum share of the budget for one compressed block, if there is
	// more to show.
	compressedShare = 1.0 / 4
	// outlinePart is roughly the part of a text that its compressed form keeps by default.
	outlinePart = 0.15
	// minCompressed is the minimum number of tokens of a compressed block without its heading.
	minCompressed = 100
)

// How blocks are compressed, as named in reasons and metadata.
const (
	byOutline = "outline"
	byExtract = "extract"
)

// isCompressible reports whether a block may be compressed: files, knowledge, and what agents
// did. w is nil for a note.
func isCompressible(w *Working) bool {
	return w != nil && (w.Type == working.File || w.Type == working.Knowledge || w.Type == working.History)
}

// limitOf returns the maximum cost of a snippet of a body with that many bytes, in quarters of
// a token. w is nil for a note.
func (p *plan) limitOf(w *Working, bytes int) int32 {
	limit := maxSnippet
	if p.question.Len() == 0 {
		limit = maxOpening
	}
	if isCompressible(w) {
		limit = max(limit, min(int(outlinePart*float64(bytes)), 4*p.compressedTokens()))
	}
	return int32(limit)
}

// compressedTokens returns the maximum tokens of a compressed block without its heading.
func (p *plan) compressedTokens() int {
	return max(minCompressed, int(compressedShare*float64(p.req.Budget)))
}

// isTooLarge reports whether candidate i is a compressible block that by its length takes more tokens
// than any compressed one, and whether the smallest compressed form still fits.
func (p *plan) isTooLarge(i int) bool {
	c := &p.candidates[i]
	return isCompressible(p.tree.workingOf(p.details[i].ref)) && int(c.Estimates[Full]) > p.compressedTokens() &&
		p.sel.Remaining >= minCompressed+int(c.Estimates[Title])
}

// shorten returns an excerpt of candidate i, whose body it loads, with nothing chosen yet. For a critical
// or compressible block the excerpt is made once.
func (p *plan) shorten(i int) *text.Excerpt {
	n, item := &p.details[i], p.loaded(i)
	critical, compressible := p.isCritical(i), isCompressible(item.Working)
	if !critical && !compressible {
		return p.excerptOf(item)
	}
	if n.short == nil {
		if compressible {
			n.short, n.compressed = p.compress(item, n)
		} else {
			n.short = text.NewSummary(scanned(item, p.scanLimit(item)), p.question)
		}
		if critical {
			n.short.MatchFirst()
		}
	}
	return n.short.Clone()
}

// compress returns the lines that represent the body of a block, and the method.
func (p *plan) compress(item *Item, n *detail) (*text.Excerpt, string) {
	limit := p.scanLimit(item)
	body := scanned(item, limit)
	if w := item.Working; w.Type == working.File && n.problem == "" {
		language := outline.Language(w.Path, []byte(body[:min(len(body), 256)]))
		read := p.req.Caller.Outline
		if read == nil {
			read = func(language, code string) *outline.File { return outline.Read(language, []byte(code)) }
		}
		if file := read(language, body); file != nil {
			lines := file.Listing(body, max(1, w.Line), p.question)
			if limit < len(item.Body) {
				lines = append(lines, text.ExcerptLine{Text: "… the rest of the file is longer than what an outline is made of"})
			}
			return text.ExcerptOfLines(lines), byOutline
		}
	}
	x := text.NewSummary(body, p.question)
	if p.req.Caller.Summarize == nil || n.problem != "" {
		return x, byExtract
	}
	summary, err := p.req.Caller.Summarize(item)
	if err != nil {
		n.problem = text.Line(err.Error())
	}
	if summary.Text == "" {
		return x, byExtract
	}
	by := text.Line(summary.By)
	x.Lead("Summary by the model " + by + " of " + text.Line(summary.Of) + ", which nobody checked:\n" + text.Body(summary.Text) + "\nFrom the text itself:")
	return x, "summary by " + by + ", with an extract"
}

// how names the method by which the lines of a block at level snippet were made, "" if it was not
// compressed. A summary that did not fit is not mentioned.
func (n *detail) how() string {
	if n.compressed == "" || n.compressed == byOutline || n.excerpt == nil || n.excerpt.HasLead() {
		return n.compressed
	}
	return byExtract
}

// extent is how much of the compressible critical blocks is shown.
type extent int

const (
	whole   extent = iota // all
	shared                // an equal share of what the other parts leave, or all if that is less
	minimal               // minCompressed tokens
)

// compressible returns the critical blocks that may be compressed.
func (p *plan) compressible() []int {
	return slices.DeleteFunc(slices.Clone(p.critical), func(i int) bool { return !isCompressible(p.tree.workingOf(p.details[i].ref)) })
}

// compressCritical chooses the levels and lines of the critical blocks that may be compressed. It returns
// false if the budget does not allow that extent.
func (p *plan) compressCritical(as extent) bool {
	list := p.compressible()
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(p.price(a, Full), p.price(b, Full)) })
	left := p.req.Budget - p.minBudget(pinning{focus: Full, critical: Full, ancestors: true})
	for _, i := range list {
		left += p.price(i, Full)
	}
	for k, i := range list {
		allotted := p.price(i, Title) + minCompressed
		if as == shared {
			share := left / (len(list) - k)
			if share < allotted {
				return false
			}
			allotted = min(share, p.price(i, Title)+p.compressedTokens())
			if p.price(i, Full) <= share {
				allotted = share
			}
		}
		p.details[i].pinLevel = p.fitCritical(i, allotted)
		left -= p.price(i, p.details[i].pinLevel)
	}
	return true
}

// fitCritical returns the highest level at which a critical block takes at most that many tokens: whole,
// compressed, or its heading if no line fits.
func (p *plan) fitCritical(i, tokens int) Level {
	if p.price(i, Full) <= tokens {
		return Full
	}
	x := p.fit(p.shorten(i), i, tokens-p.price(i, Title), 0)
	if x == nil {
		return Title
	}
	p.setExcerpt(i, x)
	return Snippet
}

// Costs of a snippet in quarters of a token, unless it is given more.
const (
	maxSnippet = 480 // for a question: about 120 tokens
	maxOpening = 240 // without one: about 60 tokens
)

// Bounds of the text that snippets are taken from, in bytes at the beginning of a body.
const (
	maxScanned    = 1 << 20        // of one body
	maxScannedAll = 4 * maxScanned // of one window; bodies that come later have minScanned
	minScanned    = 4 << 10
)

// excerptOf returns the excerpt of an item's body for the question. Nothing is chosen yet.
func (p *plan) excerptOf(item *Item) *text.Excerpt {
	return text.NewExcerpt(scanned(item, p.scanLimit(item)), p.question)
}

// scanLimit returns how many bytes of an item's body are read.
func (p *plan) scanLimit(item *Item) int {
	limit := min(len(item.Body), max(minScanned, min(maxScanned, maxScannedAll-p.scanned)))
	p.scanned += limit
	return limit
}

// scanned returns the beginning of an item's body, at most limit bytes.
func scanned(item *Item, limit int) string {
	return text.Body(item.Body[:min(len(item.Body), limit)])
}
