// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// AnalyzerVersion identifies everything that determines the terms of a text: the rules
// of this package and the Unicode tables. An index with another version must be
// rebuilt; see [Decode].
const AnalyzerVersion = "2 unicode " + unicode.Version + " norm " + norm.Version

// Terms returns the terms of text in order, with repeats. Words are lower-cased and
// normalized to NFKC; words of ASCII letters are reduced to their English stem (Porter
// 2). Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese become pairs of runes.
// Numbers and symbols such as emoji are terms; punctuation and blanks are dropped. A
// word over 64 bytes becomes its beginning and a hash. O(len(text)).
func Terms(text string) []string {
	var terms []string
	var s scanner
	s.reset(text)
	for s.next() {
		terms = append(terms, termOf(s.word, s.plain))
	}
	return terms
}

// queryTerms returns the terms of a question, each once, in order of first occurrence, with
// the number of occurrences as weight. English stop words are left out as noise unless text
// has no other words: they are indexed, so a question of only stop words still finds its like.
func queryTerms(text string) []Term {
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

// termCounter counts terms and keeps their order of first occurrence.
type termCounter struct {
	terms []Term
	index map[string]int
}

func newTermCounter() *termCounter { return &termCounter{index: map[string]int{}} }

func (t *termCounter) add(term string) {
	i, ok := t.index[term]
	if !ok {
		i = len(t.terms)
		t.index[term] = i
		t.terms = append(t.terms, Term{Text: term})
	}
	t.terms[i].Weight++
}

// termOf returns the term of a word from the scanner. Stemming costs about a
// microsecond; callers that analyse much text cache the result.
func termOf(word []byte, plain bool) string {
	if plain {
		return english.Stem(string(word), true)
	}
	if !slices.ContainsFunc(word, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return string(word)
	}
	term := strings.ToLower(norm.NFKC.String(string(word)))
	if strings.IndexFunc(term, func(r rune) bool { return r < 'a' || r > 'z' }) < 0 { // full-width Latin letters
		return english.Stem(term, true)
	}
	return term
}

// cachedTermOf is termOf with a cache of stems, for the words of queries, which repeat.
func cachedTermOf(word []byte, plain bool) string {
	if plain {
		return stems.stem(word)
	}
	return termOf(word, plain)
}
