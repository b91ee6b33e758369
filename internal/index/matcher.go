// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

// Matcher finds the terms of a question in any text, by the analysis of [Terms]. It is
// immutable and safe for concurrent use.
type Matcher struct {
	numbers map[string]int32 // by term
	first   [256]bool        // the first bytes of the terms; a stem begins as its words do
}

// maxMatched is the maximum number of terms that a Matcher looks for: the first ones of
// the question.
const maxMatched = 256

// NewMatcher returns the matcher of a question. It looks for the terms that [QueryTerms]
// returns, at most 256 of them. O(len(question)).
func NewMatcher(question string) *Matcher {
	m := &Matcher{numbers: map[string]int32{}}
	for i, q := range queryTerms(question) {
		if i == maxMatched {
			break
		}
		m.numbers[q.term] = int32(i)
		m.first[q.term[0]] = true
	}
	return m
}

// Len returns the number of terms.
func (m *Matcher) Len() int { return len(m.numbers) }

// Append appends the numbers, from 0, of the terms that occur in text, with repeats, in
// the order of the text. O(len(text)), without allocation besides that of the list.
func (m *Matcher) Append(found []int32, text string) []int32 {
	var s scanner
	s.reset(text)
	for s.next() {
		if s.plain && !m.first[s.word[0]] {
			continue
		}
		if number, ok := m.numbers[cachedTermOf(s.word, s.plain)]; ok {
			found = append(found, number)
		}
	}
	return found
}
