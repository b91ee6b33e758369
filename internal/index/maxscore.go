// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"
)

// mostCursors is how many terms are looked for side by side: with more, adding up term
// by term is quicker.
const maxCursors = 64

// margin covers what rounding can add to a sum of shares that stays below its bound:
// of mostCursors terms, less than 1e-13 of it.
const roundingMargin = 1 + 1e-6

// sweep finds the best documents of one part after the other, each in the order of its
// documents. Terms too common to make a hit by themselves, and blocks whose documents
// cannot become hits, are passed over (MaxScore of Turtle and Flood 1995, with the
// bounds by block of Ding and Suel 2011). What it finds is what adding up all postings
// finds, to the last bit.
type maxScoreSearch struct {
	formula   bm25
	filter    func(id string) bool
	top       topHits
	threshold float64 // the score of the worst hit, when there are as many as wanted

	*part
	cursors      []cursor  // of the part, in the order of the query
	byBound      []*cursor // the same, those with the least bounds first
	boundSums    []float64 // of the bounds of so many
	nonEssential int       // so many of strong find no hit that the others do not find
}

// best returns what Search does, where there is a limit.
func (x *Lexical) searchTop(terms []queryTerm, q Query, s *scratch) []Hit {
	w := &s.search
	w.formula, w.filter, w.top, w.threshold = x.formula(), q.Keep, topHits{limit: q.Limit}, 0
	s.openCursors(x, terms)
	first := 0
	for i, end := range s.ends {
		w.part, w.cursors = &x.parts[i], s.cursors[first:end]
		w.run()
		first = end
	}
	hits := w.top.hits
	s.closeCursors()
	slices.SortFunc(hits, compareHits)
	return hits
}

// open fills cursors, those of a part together and in the order of terms, and ends with
// where each part's end.
func (s *scratch) openCursors(x *Lexical, terms []queryTerm) {
	s.cursors = slices.Grow(s.cursors[:0], len(terms)*len(x.parts)) // they stay where they are
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

// close keeps nothing of an index.
func (s *scratch) closeCursors() {
	for i := range s.cursors {
		s.cursors[i] = cursor{buf: s.cursors[i].buf}
	}
	s.search = maxScoreSearch{byBound: s.search.byBound[:0], boundSums: s.search.boundSums[:0]}
}

// run looks through one part.
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

// hopeless reports whether no document with a score up to bound becomes a hit.
func (w *maxScoreSearch) cannotEnter(bound float64) bool { return bound*roundingMargin < w.threshold }

// raise notes what a hit that came in changes.
func (w *maxScoreSearch) updateThreshold() {
	if w.top.full() {
		w.threshold = w.top.hits[0].Score
	}
	for w.nonEssential < len(w.byBound) && w.cannotEnter(w.boundSums[w.nonEssential+1]) {
		w.nonEssential++
	}
}

// window returns the last document of the first block to end among those that hold doc
// or what follows it, and the greatest score up to there; noDoc where nothing follows.
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

// walk looks at the documents from doc to end, and returns where to go on. It stops
// where one more term has become weak.
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

// consider makes a document a hit unless it is none. The strong terms add bound to its
// score.
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
	for i := range w.cursors { // in the order of the query, as a sum of floats depends on it
		if c := &w.cursors[i]; c.scoredDoc == doc {
			score += c.termScore
		}
	}
	if w.top.rejects(score) {
		return
	}
	if id := w.ids.at(int(doc)); w.filter == nil || w.filter(id) {
		w.top.add(Hit{id, score})
		w.updateThreshold()
	}
}
