// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"
)

// mostCursors is how many terms are looked for side by side: with more, adding up term
// by term is quicker.
const mostCursors = 64

// margin covers what rounding can add to a sum of shares that stays below its bound:
// of mostCursors terms, less than 1e-13 of it.
const margin = 1 + 1e-6

// sweep finds the best documents of one part after the other, each in the order of its
// documents. Terms too common to make a hit by themselves, and blocks whose documents
// cannot become hits, are passed over (MaxScore of Turtle and Flood 1995, with the
// bounds by block of Ding and Suel 2011). What it finds is what adding up all postings
// finds, to the last bit.
type sweep struct {
	formula bm25
	keep    func(id string) bool
	top     topHits
	worst   float64 // the score of the worst hit, when there are as many as wanted

	*part
	cursors []cursor  // of the part, in the order of the query
	strong  []*cursor // the same, those with the least bounds first
	sums    []float64 // of the bounds of so many
	weak    int       // so many of strong find no hit that the others do not find
}

// best returns what Search does, where there is a limit.
func (x *Lexical) best(terms []queryTerm, q Query, s *scratch) []Hit {
	w := &s.sweep
	w.formula, w.keep, w.top, w.worst = x.formula(), q.Keep, topHits{limit: q.Limit}, 0
	s.open(x, terms)
	first := 0
	for i, end := range s.ends {
		w.part, w.cursors = &x.parts[i], s.cursors[first:end]
		w.run()
		first = end
	}
	hits := w.top.hits
	s.close()
	slices.SortFunc(hits, compareHits)
	return hits
}

// open fills cursors, those of a part together and in the order of terms, and ends with
// where each part's end.
func (s *scratch) open(x *Lexical, terms []queryTerm) {
	s.cursors = slices.Grow(s.cursors[:0], len(terms)*len(x.parts)) // they stay where they are
	s.ends = s.ends[:0]
	documents := make([]int, len(terms))
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
				c.term = j
				documents[j] += live
				s.cursors = s.cursors[:n+1]
			}
		}
		s.ends = append(s.ends, len(s.cursors))
	}
	formula := x.formula()
	for i := range s.cursors {
		c := &s.cursors[i]
		c.weigh(formula, formula.idf(documents[c.term], terms[c.term].count))
	}
}

// close keeps nothing of an index.
func (s *scratch) close() {
	for i := range s.cursors {
		s.cursors[i] = cursor{room: s.cursors[i].room}
	}
	s.sweep = sweep{strong: s.sweep.strong[:0], sums: s.sweep.sums[:0]}
}

// run looks through one part.
func (w *sweep) run() {
	w.strong, w.sums, w.weak = w.strong[:0], append(w.sums[:0], 0), 0
	for i := range w.cursors {
		w.strong = append(w.strong, &w.cursors[i])
	}
	slices.SortFunc(w.strong, func(a, b *cursor) int { return cmp.Compare(a.bound, b.bound) })
	for i, c := range w.strong {
		w.sums = append(w.sums, w.sums[i]+c.bound)
	}
	w.raise()
	for doc := uint32(0); ; {
		end, bound := w.window(doc)
		switch {
		case end == noDoc:
			return
		case w.hopeless(bound):
			doc = end + 1
		default:
			doc = w.walk(doc, end)
		}
	}
}

// hopeless reports whether no document with a score up to bound becomes a hit.
func (w *sweep) hopeless(bound float64) bool { return bound*margin < w.worst }

// raise notes what a hit that came in changes.
func (w *sweep) raise() {
	if w.top.full() {
		w.worst = w.top.hits[0].Score
	}
	for w.weak < len(w.strong) && w.hopeless(w.sums[w.weak+1]) {
		w.weak++
	}
}

// window returns the last document of the first block to end among those that hold doc
// or what follows it, and the greatest score up to there; noDoc where nothing follows.
func (w *sweep) window(doc uint32) (end uint32, bound float64) {
	end = noDoc
	for _, c := range w.strong[w.weak:] {
		if c.skip(doc); !c.done() {
			end = min(end, c.blocks[c.at].last)
		}
	}
	bound = w.sums[w.weak]
	for _, c := range w.strong[w.weak:] {
		if c.doc <= end && !c.done() {
			bound += c.blockBound()
		}
	}
	return end, bound
}

// walk looks at the documents from doc to end, and returns where to go on. It stops
// where one more term has become weak.
func (w *sweep) walk(doc, end uint32) uint32 {
	strong := w.strong[w.weak:]
	for _, c := range strong {
		if c.doc <= end {
			c.seek(doc)
		}
	}
	for weak := w.weak; weak == w.weak; {
		doc = noDoc
		for _, c := range strong {
			doc = min(doc, c.doc)
		}
		if doc > end {
			return end + 1
		}
		bound := 0.0
		for _, c := range strong {
			if c.doc == doc {
				bound += c.meet(w.formula)
				c.next()
			}
		}
		w.consider(doc, bound)
	}
	return doc + 1
}

// consider makes a document a hit unless it is none. The strong terms add bound to its
// score.
func (w *sweep) consider(doc uint32, bound float64) {
	for i := w.weak - 1; i >= 0; i-- {
		if w.hopeless(bound + w.sums[i+1]) {
			return
		}
		c := w.strong[i]
		if c.skip(doc); c.doc > doc {
			continue
		}
		if !c.isIn && w.hopeless(bound+w.sums[i]+c.blockBound()) {
			return
		}
		if c.seek(doc); c.doc == doc {
			bound += c.meet(w.formula)
		}
	}
	if w.hopeless(bound) {
		return
	}
	score := 0.0
	for i := range w.cursors { // in the order of the query, as a sum of floats depends on it
		if c := &w.cursors[i]; c.met == doc {
			score += c.share
		}
	}
	if w.top.refuses(score) {
		return
	}
	if id := w.ids.at(int(doc)); w.keep == nil || w.keep(id) {
		w.top.add(Hit{id, score})
		w.raise()
	}
}
