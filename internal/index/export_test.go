// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"
	"slices"
)

// Scores yields every document that has a term of text, in id order, with the score
// that Search gives it. It is cheaper than Search when all documents are wanted.
// O(postings of the terms + documents).
func (x *Lexical) Scores(text string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if x.Len() == 0 {
			return
		}
		s := scratches.Get().(*scratch)
		defer s.release()
		x.score(queryTerms(text), s)
		pos := make([]int, len(x.parts)) // current document of each part
		for {
			next, slot := -1, 0
			first := 0
			for i, p := range x.parts {
				for pos[i] < len(p.lengths) && s.scores[first+pos[i]] == 0 {
					pos[i]++
				}
				if pos[i] < len(p.lengths) && (next < 0 || p.ids.at(pos[i]) < x.parts[next].ids.at(pos[next])) {
					next, slot = i, first+pos[i]
				}
				first += len(p.lengths)
			}
			if next < 0 || !yield(x.parts[next].ids.at(pos[next]), s.scores[slot]) {
				return
			}
			pos[next]++
		}
	}
}

// QueryTerms returns the terms that Search searches for, each once, in order of first occurrence.
func QueryTerms(text string) []string {
	terms := []string{}
	for _, q := range queryTerms(text) {
		terms = append(terms, q.Text)
	}
	return terms
}

// Match is the contribution of one term to the score of a document.
type Match struct {
	Term      string
	Weight    int     // weighted occurrences: three for one in the title, two for one in a tag
	Documents int     // number of documents that have the term
	Score     float64 // the contributions add up, in order, to the score
}

// Explain returns the terms by which a search for text finds the document id, in the
// order in which Search adds their scores. It is empty if Search does not find the
// document. O(postings of the terms).
func (x *Lexical) Explain(text, id string) []Match {
	if x.Len() == 0 {
		return nil
	}
	at, doc, ok := x.find(id)
	if !ok {
		return nil
	}
	s := scratches.Get().(*scratch)
	defer s.release()
	var matches []Match
	formula := x.formula()
	for _, q := range queryTerms(text) {
		x.loadPostings(q.Text, s)
		i := slices.IndexFunc(s.lists[at], func(p posting) bool { return p.doc == doc })
		if i < 0 {
			continue
		}
		p := s.lists[at][i]
		score := formula.termScore(formula.idf(s.docFreq, q.Weight), p.weight, x.parts[at].lengths[doc])
		matches = append(matches, Match{q.Text, int(p.weight), s.docFreq, score})
	}
	return matches
}

// Has reports whether the index has a document with this id. O(log n).
func (x *Lexical) Has(id string) bool {
	if x == nil {
		return false
	}
	_, _, ok := x.find(id)
	return ok
}

// Has reports whether id has the value for key. O(log n) for n ids with that value.
func (a Attributes) Has(key, value, id string) bool {
	_, ok := a.ids(key, value).Get(id)
	return ok
}

// Values yields the values of key in byte order, each with the number of ids that have
// it. O(v log v) for v values.
func (a Attributes) Values(key string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		byValue, _ := a.keys.Get(key)
		values := make([]string, 0, byValue.Len())
		for value := range byValue.All() {
			values = append(values, value)
		}
		slices.Sort(values)
		for _, value := range values {
			ids, _ := byValue.Get(value)
			if !yield(value, ids.Len()) {
				return
			}
		}
	}
}
