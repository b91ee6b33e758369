// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Matcher finds the terms of a question in any text, by the analysis of [Terms]. It is
// immutable and safe for concurrent use.
type Matcher struct {
	numbers map[string]int32 // by term
	first   [256]bool        // the first bytes of the terms; a stem begins as its words do
}

// maxMatched is the maximum number of terms that a Matcher looks for: the first ones of
// the question.
const maxMatched = 256

// NewMatcher returns the matcher of a question. It looks for the terms of
// [Lexical.QuestionTerms], at most 256 of them. O(len(question)).
func NewMatcher(question string) *Matcher {
	m := &Matcher{numbers: map[string]int32{}}
	for i, q := range queryTerms(question) {
		if i == maxMatched {
			break
		}
		m.numbers[q.Text] = int32(i)
		m.first[q.Text[0]] = true
	}
	return m
}

// Len returns the number of terms.
func (m *Matcher) Len() int { return len(m.numbers) }

// Append appends the numbers, from 0, of the terms that occur in text, with repeats, in
// the order of the text. O(len(text)), allocates only the list.
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

// Count returns how many different terms occur in text. O(len(text)).
func (m *Matcher) Count(text string) int {
	found := m.Append(nil, text)
	slices.Sort(found)
	return len(slices.Compact(found))
}

// First returns the offset of the first word of text that has one of the terms, 0 if none
// has. O(len(text)).
func (m *Matcher) First(text string) int {
	for at := range m.Words(text) {
		return at
	}
	return 0
}

// Words yields the words of text that have one of the terms, with their offsets. O(len(text)).
func (m *Matcher) Words(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at, word := range wordsOf(text) {
			if len(m.Append(nil, word)) > 0 && !yield(at, word) {
				return
			}
		}
	}
}

// Spelling returns the word of a text that has the given term, as the text spells it, or "".
// Of several words it returns the one whose length in bytes is nearest to length. O(len(text)).
func Spelling(text, term string, length int) string {
	best, difference := "", math.MaxInt
	for _, word := range wordsOf(text) {
		if d := max(len(word)-length, length-len(word)); d < difference {
			if terms := Terms(word); len(terms) == 1 && terms[0] == term {
				best, difference = word, d
			}
		}
	}
	return best
}

// wordsOf yields the runs of letters, marks and digits of a text with their offsets.
func wordsOf(text string) iter.Seq2[int, string] {
	inWord := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
	return func(yield func(int, string) bool) {
		for at := 0; ; {
			start := strings.IndexFunc(text[at:], inWord)
			if start < 0 {
				return
			}
			start += at
			size := strings.IndexFunc(text[start:], func(r rune) bool { return !inWord(r) })
			if size < 0 {
				size = len(text) - start
			}
			if !yield(start, text[start:start+size]) {
				return
			}
			at = start + size
		}
	}
}
