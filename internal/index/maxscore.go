// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/internal/pq"
)

// maxCursors is the largest number of terms for which MaxScore is used. With more
// terms, scoring term by term is faster.
const maxCursors = 64

// roundingMargin covers the rounding error of a sum of term scores compared with its
// bound: less than 1e-13 of the sum for maxCursors terms.
const roundingMargin = 1 + 1e-6

// maxScoreSearch finds the best documents of one part after another, in document order.
// It skips common terms that cannot make a hit alone and blocks that cannot contain
// one: MaxScore (Turtle and Flood 1995) with block bounds (Ding and Suel 2011). The
// result equals that of scoring every posting, bit for bit.
type maxScoreSearch struct {
	formula   bm25
	filter    func(id string) bool
	top       pq.Top[Hit]
	threshold float64 // score of the worst hit once the limit is reached

	*part
	cursors      []cursor  // of the part, in query order
	byBound      []*cursor // the same cursors, lowest bound first
	boundSums    []float64 // prefix sums of the bounds
	nonEssential int       // length of the prefix of byBound that cannot make a hit alone
}

// searchTop implements Search for a query with a limit.
func (x *Lexical) searchTop(terms []queryTerm, q Query, s *scratch) []Hit {
	w := &s.search
	w.formula, w.filter, w.top, w.threshold = x.formula(), q.Keep, pq.NewTop(q.Limit, worseHit, nil), 0
	s.openCursors(x, terms)
	first := 0
	for i, end := range s.ends {
		w.part, w.cursors = &x.parts[i], s.cursors[first:end]
		w.run()
		first = end
	}
	hits := w.top.Sorted()
	s.closeCursors()
	return hits
}

// openCursors fills cursors, part by part and in query order within a part, and records
// in ends where the cursors of each part end.
func (s *scratch) openCursors(x *Lexical, terms []queryTerm) {
	s.cursors = slices.Grow(s.cursors[:0], len(terms)*len(x.parts)) // no later growth: byBound points into it
	s.ends = s.ends[:0]
	docFreqs := make([]int, len(terms))
	for i := range x.parts {
		p := &x.parts[i]
		for j, q := range terms {
			t, ok := p.terms.find(q.term)
			if !ok {
				continue
			}
			n := len(s.cursors)
			c := &s.cursors[:n+1][n]
			if live := c.open(p, t); live > 0 {
				c.queryIndex = j
				docFreqs[j] += live
				s.cursors = s.cursors[:n+1]
			}
		}
		s.ends = append(s.ends, len(s.cursors))
	}
	formula := x.formula()
	for i := range s.cursors {
		c := &s.cursors[i]
		c.setWeight(formula, formula.idf(docFreqs[c.queryIndex], terms[c.queryIndex].count))
	}
}

// closeCursors drops all references to the index.
func (s *scratch) closeCursors() {
	for i := range s.cursors {
		s.cursors[i] = cursor{buf: s.cursors[i].buf}
	}
	s.search = maxScoreSearch{byBound: s.search.byBound[:0], boundSums: s.search.boundSums[:0]}
}

// run searches one part.
func (w *maxScoreSearch) run() {
	w.byBound, w.boundSums, w.nonEssential = w.byBound[:0], append(w.boundSums[:0], 0), 0
	for i := range w.cursors {
		w.byBound = append(w.byBound, &w.cursors[i])
	}
	slices.SortFunc(w.byBound, func(a, b *cursor) int { return cmp.Compare(a.bound, b.bound) })
	for i, c := range w.byBound {
		w.boundSums = append(w.boundSums, w.boundSums[i]+c.bound)
	}
	w.updateThreshold()
	for doc := uint32(0); ; {
		end, bound := w.nextRange(doc)
		switch {
		case end == noDoc:
			return
		case w.cannotEnter(bound):
			doc = end + 1
		default:
			doc = w.scanRange(doc, end)
		}
	}
}

// cannotEnter reports whether a document that scores at most bound is not a hit.
func (w *maxScoreSearch) cannotEnter(bound float64) bool { return bound*roundingMargin < w.threshold }

// updateThreshold accounts for a new hit.
func (w *maxScoreSearch) updateThreshold() {
	if worst, full := w.top.Worst(); full {
		w.threshold = worst.Score
	}
	for w.nonEssential < len(w.byBound) && w.cannotEnter(w.boundSums[w.nonEssential+1]) {
		w.nonEssential++
	}
}

// nextRange returns the last document of the range that starts at doc and in which no
// essential term changes its block, and an upper bound of the scores in it. end is
// noDoc if no document is left.
func (w *maxScoreSearch) nextRange(doc uint32) (end uint32, bound float64) {
	end = noDoc
	for _, c := range w.byBound[w.nonEssential:] {
		if c.skipBlocks(doc); !c.done() {
			end = min(end, c.blocks[c.current].last)
		}
	}
	bound = w.boundSums[w.nonEssential]
	for _, c := range w.byBound[w.nonEssential:] {
		if c.doc <= end && !c.done() {
			bound += c.blockBound()
		}
	}
	return end, bound
}

// scanRange scores the documents from doc to end and returns where to continue. It
// stops early when a term becomes non-essential.
func (w *maxScoreSearch) scanRange(doc, end uint32) uint32 {
	essential := w.byBound[w.nonEssential:]
	for _, c := range essential {
		if c.doc <= end {
			c.seek(doc)
		}
	}
	for essentialFrom := w.nonEssential; essentialFrom == w.nonEssential; {
		doc = noDoc
		for _, c := range essential {
			doc = min(doc, c.doc)
		}
		if doc > end {
			return end + 1
		}
		bound := 0.0
		for _, c := range essential {
			if c.doc == doc {
				bound += c.score(w.formula)
				c.next()
			}
		}
		w.scoreDoc(doc, bound)
	}
	return doc + 1
}

// scoreDoc adds the document to the hits if its score suffices. bound is what the
// essential terms add to the score.
func (w *maxScoreSearch) scoreDoc(doc uint32, bound float64) {
	for i := w.nonEssential - 1; i >= 0; i-- {
		if w.cannotEnter(bound + w.boundSums[i+1]) {
			return
		}
		c := w.byBound[i]
		if c.skipBlocks(doc); c.doc > doc {
			continue
		}
		if !c.decoded && w.cannotEnter(bound+w.boundSums[i]+c.blockBound()) {
			return
		}
		if c.seek(doc); c.doc == doc {
			bound += c.score(w.formula)
		}
	}
	if w.cannotEnter(bound) {
		return
	}
	score := 0.0
	for i := range w.cursors { // in query order, which determines the bits of the sum
		if c := &w.cursors[i]; c.scoredDoc == doc {
			score += c.termScore
		}
	}
	if worst, full := w.top.Worst(); full && score < worst.Score {
		return
	}
	if id := w.ids.at(int(doc)); w.filter == nil || w.filter(id) {
		w.top.Add(Hit{id, score})
		w.updateThreshold()
	}
}
