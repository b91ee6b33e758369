// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the set of significant words of a text, in lower case. Words of one or
// two letters and stop words are left out.
func Words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range allWords(text) {
		if utf8.RuneCountInString(word) > 2 && !stopWords[word] {
			set[word] = true
		}
	}
	return set
}

// allWords yields the words of a text in lower case.
func allWords(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
			if !yield(strings.ToLower(word)) {
				return
			}
		}
	}
}

// SharedWords returns the words of query in the order of their first occurrence in folded, a
// text in lower case. It searches for each of a few words, which is faster than to split the
// text.
func SharedWords(folded string, query map[string]bool) []string {
	const maxSearched = 16
	if len(query) > maxSearched {
		return sharedOfMany(folded, query)
	}
	type occurrence struct {
		at   int
		word string
	}
	var first [maxSearched]occurrence
	found := first[:0]
	for word := range query {
		if at := wordAt(folded, word); at >= 0 {
			found = append(found, occurrence{at, word})
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b occurrence) int { return cmp.Compare(a.at, b.at) })
	shared := make([]string, len(found))
	for i, o := range found {
		shared[i] = o.word
	}
	return shared
}

// sharedOfMany is SharedWords for many words.
func sharedOfMany(folded string, query map[string]bool) (shared []string) {
	for word := range allWords(folded) {
		if query[word] && !slices.Contains(shared, word) {
			shared = append(shared, word)
		}
	}
	return shared
}

// wordAt returns the position of a word in a text in lower case, as a whole word, -1 for none.
func wordAt(folded, word string) int {
	for from := 0; ; {
		at := strings.Index(folded[from:], word)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(folded[:at])
		after, size := utf8.DecodeRuneInString(folded[at+len(word):])
		if !isWordRune(before) && !isWordRune(after) {
			return at
		}
		from = at + len(word) + size // a word that begins inside is none
		if from > len(folded) || size == 0 {
			return -1
		}
	}
}

// isWordRune reports whether a rune is part of a word.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// stopWords are common English words that say nothing about a topic.
var stopWords = WordSet("the and for are was were that this with from have has had not but you your what which when where who how why can could would " +
	"should does did about into than then there their they them its our out use used will any all one may also")

// WordSet returns the words of a text as a set.
func WordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// SharedPrefix returns the number of bytes with which both texts begin. O(that number).
func SharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
