// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
)

// Names of the arms of Text.
const (
	ArmWords      = node.Words   // the node's own words
	ArmNeighbours = "neighbours" // the words around it
	ArmDocument   = "document"   // the words of its document
)

// Weights of the arms of the question, each times a score that is 1 for the best node.
// A node that is best in all gets 1.
const (
	weightOwn  = .8 / weightAll
	weightNear = 1 / weightAll
	weightWide = .4 / weightAll
	weightFile = .4 / weightAll
	weightAll  = .8 + 1 + .4 + .4
)

// Text ranks by words.
type Text struct{}

// Rank implements Ranker.
func (Text) Rank(req *Request, b *Board) {
	if req.Text == "" {
		return
	}
	s := &b.scores
	b.Order.Join(b.text)
	b.ideal = b.Order.Score(b.wordsOf(req.Text), s)
	var best bests
	for _, pos := range s.Touched {
		best.own, best.near, best.wide = max(best.own, s.Own[pos]), max(best.near, s.Near[pos]), max(best.wide, s.Wide[pos])
	}
	for _, f := range s.TouchedFiles {
		best.file = max(best.file, s.File[f])
	}
	if best.own == 0 {
		return
	}
	files := b.filesByPromise(best)
	open := make(map[uint32]bool, maxGated)
	for _, f := range files[:min(maxGated, len(files))] {
		neighbours, document := b.gates(int(f))
		b.addFile(int(f), neighbours, document, best)
		open[f] = true
	}
	if len(files) > maxGated {
		b.addShut(open, best.own)
	}
}

// bests are the best scores of the words.
type bests struct{ own, near, wide, file float64 }

// maxGated is the number of files whose gates are measured for a question, those with the
// best node if all gates were open. In the others the gates are shut.
const maxGated = 64

// filesByPromise returns the files that contain words of the question, those with the
// best nodes first.
func (b *Board) filesByPromise(best bests) []uint32 {
	s := &b.scores
	promise := make([]float64, b.Order.Files())
	for _, pos := range s.Touched {
		f, _ := b.Order.Place(pos)
		share := weightOwn*s.Own[pos]/best.own + weightNear*s.Near[pos]/best.near + weightWide*s.Wide[pos]/best.wide
		promise[f] = max(promise[f], share)
	}
	files := slices.Clone(s.TouchedFiles)
	slices.SortFunc(files, func(x, y uint32) int { return cmp.Or(cmp.Compare(promise[y], promise[x]), cmp.Compare(x, y)) })
	return files
}

// addShut does what addFile does with all gates shut, for the files that are not open. It visits only nodes that
// contain words of the question.
func (b *Board) addShut(open map[uint32]bool, best float64) {
	s, words := &b.scores, b.Arm(ArmWords)
	for _, pos := range s.Touched {
		f, local := b.Order.Place(pos)
		if s.Own[pos] == 0 || open[uint32(f)] {
			continue
		}
		share := 1.
		if local == 0 && b.Order.File(f).Bare {
			share = weightOwn
		}
		b.covered[pos] = s.Own[pos]
		words.Add(pos, share*s.Own[pos]/best)
	}
}

// addFile adds the arms of the words to the nodes of a file. What a gate takes from an
// arm goes to the node's own words. A document that is a mere title has no neighbours.
func (b *Board) addFile(f int, n, h float64, best bests) {
	s := &b.scores
	words, neighbours, document := b.Arm(ArmWords), b.Arm(ArmNeighbours), b.Arm(ArmDocument)
	filled := weightOwn + (1-n)*(weightNear+weightWide) + (1-h)*weightFile
	first, last := b.Order.Span(f)
	if b.Order.File(f).Bare {
		b.covered[first] = s.Own[first]
		words.Add(first, weightOwn*s.Own[first]/best.own)
		first++
	}
	for pos := first; pos <= last; pos++ {
		b.covered[pos] = max(s.Own[pos], n*s.Near[pos])
		words.Add(pos, filled*s.Own[pos]/best.own)
		neighbours.Add(pos, n*(weightNear*s.Near[pos]/best.near+weightWide*s.Wide[pos]/best.wide))
		document.Add(pos, h*weightFile*s.File[f]/best.file)
	}
}

// maxTerms is the maximum number of words that are searched for: the rarest ones of a long question.
const maxTerms = 64

// wordsOf returns the terms of a question that are searched for as words. It leaves out the
// names of people and the dates that other arms handle, unless nothing else is left.
func (b *Board) wordsOf(text string) []index.Term {
	other := map[string]bool{}
	for name := range b.named(text) {
		for _, t := range index.Terms(name) {
			other[t] = true
		}
	}
	for _, d := range daysIn(text) {
		if b.Order.CountMarked(d.marks()[0]) == 0 {
			continue
		}
		for _, t := range d.terms() {
			other[t] = true
		}
	}
	all := b.Words.QuestionTerms(text, maxTerms)
	words := slices.DeleteFunc(slices.Clone(all), func(t index.Term) bool { return other[t.Text] })
	if len(words) == 0 {
		words = all
	}
	names := capitalized(text)
	for i := range words {
		if names[words[i].Text] {
			words[i].Weight *= weightName
		}
	}
	return words
}

// weightName is the weight of a capitalized word within a sentence of the question: usually
// the name of something that the answer must be about. Without it talks lose 0.01 of
// nDCG@10 and LoCoMo loses 0.002; with 2, LoCoMo loses 0.003 of R@10.
const weightName = 1.3

// capitalized returns the terms of the words that begin with a capital letter and do not
// begin a sentence.
func capitalized(text string) map[string]bool {
	terms, inside := map[string]bool{}, false
	for word := range strings.FieldsSeq(text[:min(len(text), maxQuestion)]) {
		if r, size := utf8.DecodeRuneInString(word); inside && unicode.IsUpper(r) && len(word) > size {
			for _, t := range index.Terms(word) {
				terms[t] = true
			}
		}
		inside = !strings.ContainsAny(word[len(word)-1:], ".?!:")
	}
	return terms
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

// text returns the text by which a node is compared with others: its body, or its title if it has none.
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
