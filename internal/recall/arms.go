// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/index"
)

// Names of the arms of Text.
const (
	ArmWords      = "lexical"    // the node's own words
	ArmNeighbours = "neighbours" // the words around it
	ArmDocument   = "document"   // the words of its document
)

// Weights of the arms of the question, each times a score that is 1 for the best node.
// A node that is best in all gets 1.
const (
	weightOwn  = .8 / weightAll
	weightNear = 1 / weightAll
	weightWide = .4 / weightAll
	weightFile = .5 / weightAll
	weightAll  = .8 + 1 + .4 + .5
)

// Text ranks by words.
type Text struct{}

// Rank implements Ranker.
func (Text) Rank(req *Request, b *Board) {
	if req.Text != "" {
		rankText(req.Text, b)
	}
}

func rankText(text string, b *Board) {
	s := &b.scores
	b.ideal = b.Order.Score(b.wordsOf(text), s)
	var own, near, wide, file float64 // the best
	for _, pos := range s.Touched {
		own, near, wide = max(own, s.Own[pos]), max(near, s.Near[pos]), max(wide, s.Wide[pos])
	}
	for _, f := range s.TouchedFiles {
		file = max(file, s.File[f])
	}
	if own == 0 {
		return
	}
	words, neighbours, document := b.Arm(ArmWords), b.Arm(ArmNeighbours), b.Arm(ArmDocument)
	for _, f := range s.TouchedFiles {
		n, h := b.gates(int(f))
		filled := weightOwn + (1-n)*(weightNear+weightWide) + (1-h)*weightFile
		first, last := b.Order.Span(int(f))
		if b.Order.File(int(f)).Bare {
			b.covered[first] = s.Own[first]
			words.Add(first, weightOwn*s.Own[first]/own)
			first++
		}
		for pos := first; pos <= last; pos++ {
			b.covered[pos] = max(s.Own[pos], n*s.Near[pos])
			words.Add(pos, filled*s.Own[pos]/own)
			neighbours.Add(pos, n*(weightNear*s.Near[pos]/near+weightWide*s.Wide[pos]/wide))
			document.Add(pos, h*weightFile*s.File[f]/file)
		}
	}
}

// wordsOf returns the terms of a question that are looked for as words: without the names
// of people and the dates for which there are arms, unless nothing else is left.
func (b *Board) wordsOf(text string) []index.Term {
	other := map[string]bool{}
	for name := range b.named(text) {
		for _, t := range index.Terms(name) {
			other[t] = true
		}
	}
	for _, d := range daysIn(text) {
		for range b.Order.Marked(d.marks()[0]) {
			for _, t := range d.terms() {
				other[t] = true
			}
			break
		}
	}
	all := index.QuestionTerms(text)
	words := slices.DeleteFunc(slices.Clone(all), func(t index.Term) bool { return other[t.Text] })
	if len(words) == 0 {
		return all
	}
	return words
}

// maxSpread is the spread of lengths from which neighbours do not count: between short
// remarks and long answers they mislead. Conversations in turns of about equal length have
// a spread of 0.5 to 0.6, talk with an assistant about 1. There the factor raises R@10 by
// 0.02 to 0.04 for 150,000 tokens and by 0.01 to 0.07 for 1,500,000.
const maxSpread = 1.5

// gates returns how far the arms of neighbours and of the document are open in a file.
func (b *Board) gates(file int) (neighbours, document float64) {
	lift := b.Order.Lift(file, b.text)
	neighbours = clamp(lift.Neighbours-1) * clamp(maxSpread-b.Order.Spread(file))
	return neighbours, max(neighbours, clamp(8*(lift.File-1)/2))
}

func clamp(x float64) float64 { return min(max(x, 0), 1) }

// text returns the text of a node that speaks for how much it has to do with others.
func (b *Board) text(id string) string {
	n, ok := b.State.Get(id)
	if !ok || n.Secret() || n.Derived.Encrypted {
		return ""
	}
	if body := n.Body(); strings.TrimSpace(body) != "" {
		return body
	}
	return n.Title()
}
