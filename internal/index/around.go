// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"
	"math"
)

// Term is a term of a question. A weight of 1 counts as one occurrence.
type Term struct {
	Text   string
	Weight float64
}

// QuestionTerms returns the terms of a text that [Lexical.Search] searches for, without stop words
// unless text has no other words. The weight of a term is the number of its occurrences. limit is the
// maximum number of terms, those with the highest weights in this index; 0 means all.
func (x *Lexical) QuestionTerms(text string, limit int) []Term {
	return x.topTerms(queryTerms(text), limit)
}

// Radii of the two windows of Scores, in documents before and after.
const (
	nearRadius = 2
	wideRadius = 5
)

// A window saturates later than a document, because it has more documents.
const (
	nearSaturation = 2 * k1
	wideSaturation = 4 * k1
)

// Scores are BM25 scores by the position in an Order: of a document alone, of the window
// of documents near it, of a wider window, and by file of all its documents joined. In a
// window the documents are fields of one document (BM25F, Robertson, Zaragoza and Taylor
// 2004): the length of each counts for its own words, so that a short remark does not
// rank by the words of a long answer next to it. A Scores may be reused after Reset, with any order.
type Scores struct {
	Own, Near, Wide []float64
	File            []float64 // by file
	Touched         []uint32  // positions whose Wide is above 0
	TouchedFiles    []uint32

	own, near, wide []uint32 // weights of one term in the windows
	files           []uint32 // weights of one term by file
	reached         []uint32 // positions where wide is above 0
	inFiles         []uint32 // files where files is above 0
	found           scratch  // postings of one term
}

// Reset clears the scores. O(touched).
func (s *Scores) Reset() {
	for _, pos := range s.Touched {
		s.Own[pos], s.Near[pos], s.Wide[pos] = 0, 0, 0
	}
	for _, f := range s.TouchedFiles {
		s.File[f] = 0
	}
	s.Touched, s.TouchedFiles = s.Touched[:0], s.TouchedFiles[:0]
}

// grow makes room for an order.
func (s *Scores) grow(o *Order) {
	if n := o.Len(); len(s.Own) < n {
		s.Own, s.Near, s.Wide = make([]float64, n), make([]float64, n), make([]float64, n)
		s.own, s.near, s.wide = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	}
	if n := o.Files(); len(s.File) < n {
		s.File, s.files = make([]float64, n), make([]uint32, n)
	}
}

// Score adds to s the scores of the documents whose windows contain a term. It returns the
// score of a document of mean length that has each term once. O(postings of the terms).
func (o *Order) Score(terms []Term, s *Scores) (ideal float64) {
	s.grow(o)
	f := o.formulas()
	for _, t := range terms {
		df := o.scatter(t.Text, f.own, s)
		idf := t.Weight * f.own.idf(df, 1)
		if ideal += idf / (1 + k1); df > 0 {
			o.gather(&f, idf, s)
		}
	}
	return ideal
}

// formulas are BM25 for documents, and for files as documents.
type formulas struct{ own, file bm25 }

func (o *Order) formulas() formulas {
	docs := float64(max(1, o.Len()))
	perFile := 0.0 // documents in the file of a document, on average
	for _, f := range o.files {
		perFile += float64(len(f.IDs)) * float64(len(f.IDs)) / docs
	}
	mean := float64(o.index.length) / docs
	return formulas{
		own:  bm25{docs: docs, perLength: k1 * b / max(mean, 1)},
		file: bm25{docs: docs, perLength: k1 * b / max(mean*perFile, 1)},
	}
}

// scatter adds the weight of a term in each document to the windows that the document
// is in, and returns how many documents have the term.
func (o *Order) scatter(term string, f bm25, s *Scores) (df int) {
	o.index.loadPostings(term, &s.found)
	for i, places := range o.places {
		for _, hit := range s.found.lists[i] {
			if pos := places[hit.doc]; pos != nowhere {
				o.reach(pos, hit.weight, f, s)
			}
		}
	}
	return s.found.docFreq
}

// unit is the weight in windows of a word in a document of mean length. Weights are
// integers, so that sums do not depend on the order of the parts of an index.
const unit = 4096

// reach adds the weight of a term in one document.
func (o *Order) reach(pos, weight uint32, formula bm25, s *Scores) {
	f := o.fileOf[pos]
	if s.files[f] == 0 {
		s.inFiles = append(s.inFiles, f)
	}
	s.files[f] = addSaturated(s.files[f], weight)
	s.own[pos] = weight
	factor := formula.lengthFactor(o.lengths[pos+1] - o.lengths[pos])
	weight = uint32(min(float64(weight)*unit/factor, math.MaxUint32))
	lo, hi, list := o.window(pos, wideRadius)
	for i := lo; i < hi; i++ {
		p := list.at(i)
		if s.wide[p] == 0 {
			s.reached = append(s.reached, p)
		}
		s.wide[p] = addSaturated(s.wide[p], max(1, weight))
	}
	lo, hi, list = o.window(pos, nearRadius)
	for i := lo; i < hi; i++ {
		p := list.at(i)
		s.near[p] = addSaturated(s.near[p], max(1, weight))
	}
}

func addSaturated(a, b uint32) uint32 { return a + min(b, math.MaxUint32-a) }

// gather adds the scores of one term to s and clears its weights.
func (o *Order) gather(f *formulas, idf float64, s *Scores) {
	for _, pos := range s.reached {
		if s.Wide[pos] == 0 {
			s.Touched = append(s.Touched, pos)
		}
		s.Wide[pos] += saturated(idf, s.wide[pos], wideSaturation)
		s.Near[pos] += saturated(idf, s.near[pos], nearSaturation)
		if s.own[pos] > 0 {
			s.Own[pos] += f.own.termScore(idf, s.own[pos], o.lengths[pos+1]-o.lengths[pos])
		}
		s.own[pos], s.near[pos], s.wide[pos] = 0, 0, 0
	}
	for _, n := range s.inFiles {
		if s.File[n] == 0 {
			s.TouchedFiles = append(s.TouchedFiles, n)
		}
		s.File[n] += f.file.termScore(idf, s.files[n], o.lengths[o.first[n+1]]-o.lengths[o.first[n]])
		s.files[n] = 0
	}
	s.reached, s.inFiles = s.reached[:0], s.inFiles[:0]
}

// saturated is the score of a weight in a window.
func saturated(idf float64, weight uint32, saturation float64) float64 {
	tf := float64(weight) / unit
	return idf * tf / (tf + saturation)
}

// Marked yields the positions of the documents that have a mark. O(hits).
func (o *Order) Marked(mark string) iter.Seq[uint32] { return o.With(markPrefix + mark) }

// CountMarked returns how many documents have a mark.
func (o *Order) CountMarked(mark string) int { return o.index.docFreq(markPrefix + mark) }

// With yields the positions of the documents that have a term. O(hits).
func (o *Order) With(term string) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		s := scratches.Get().(*scratch)
		defer s.release()
		o.index.loadPostings(term, s)
		for i, places := range o.places {
			for _, hit := range s.lists[i] {
				if pos := places[hit.doc]; pos != nowhere && !yield(pos) {
					return
				}
			}
		}
	}
}
