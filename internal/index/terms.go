// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// AnalyzerVersion names everything that decides which terms a text has: the
// rules of this package and the Unicode tables below them. An index with
// another version must be built anew; see [Decode].
const AnalyzerVersion = "1 unicode " + unicode.Version + " norm " + norm.Version

// Terms returns the terms of text in order, repeats included: its words in lower
// case and compatibility-composed (NFKC), those of ASCII letters reduced to
// their English stem (Porter 2), the others as they are; pairs of runes for
// Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese; numbers; symbols such
// as emoji. Nothing but punctuation and blanks is dropped. A word over 64 bytes
// is its beginning and a hash. O(len(text)).
func Terms(text string) []string {
	var terms []string
	var s scanner
	s.reset(text)
	for s.next() {
		terms = append(terms, termOf(s.word, s.plain))
	}
	return terms
}

// QueryTerms returns the terms that [Lexical.Search] looks for, each once, in
// the order of their first occurrence in text. English stop words are left out
// unless text has nothing else: they are indexed, so that a question made of
// them finds its like, but beside other words they are noise.
func QueryTerms(text string) []string {
	wanted := queryTerms(text)
	terms := make([]string, len(wanted))
	for i, w := range wanted {
		terms[i] = w.term
	}
	return terms
}

// queryTerm is a term and how often the query has it.
type queryTerm struct {
	term  string
	count int
}

func queryTerms(text string) []queryTerm {
	content := newTermCounter()
	var stops *termCounter
	var s scanner
	s.reset(text)
	for s.next() {
		if !s.plain || !english.IsStopWord(string(s.word)) {
			content.add(cachedTermOf(s.word, s.plain))
			continue
		}
		if len(content.terms) == 0 {
			if stops == nil {
				stops = newTermCounter()
			}
			stops.add(cachedTermOf(s.word, s.plain))
		}
	}
	if len(content.terms) == 0 && stops != nil {
		return stops.terms
	}
	return content.terms
}

// tally counts terms in the order of their first occurrence.
type termCounter struct {
	terms []queryTerm
	index map[string]int
}

func newTermCounter() *termCounter { return &termCounter{index: map[string]int{}} }

func (t *termCounter) add(term string) {
	i, ok := t.index[term]
	if !ok {
		i = len(t.terms)
		t.index[term] = i
		t.terms = append(t.terms, queryTerm{term: term})
	}
	t.terms[i].count++
}

// termOf returns the term of a word of the scanner. It costs about a microsecond
// where the word is stemmed; who analyses much text remembers the answers.
func termOf(word []byte, plain bool) string {
	if plain {
		return english.Stem(string(word), true)
	}
	if isASCII(word) {
		return string(word)
	}
	term := strings.ToLower(norm.NFKC.String(string(word)))
	if isASCIILetters(term) { // full-width Latin
		return english.Stem(term, true)
	}
	return term
}

// askedTerm is termOf for the words of questions, which repeat.
func cachedTermOf(word []byte, plain bool) string {
	if plain {
		return stems.stem(word)
	}
	return termOf(word, plain)
}

func isASCII(word []byte) bool {
	for _, c := range word {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func isASCIILetters(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}
