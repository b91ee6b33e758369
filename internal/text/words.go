// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
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

// SharedWords returns the words of query, which are in lower case, that a text has, in the order of their first
// occurrence there.
func SharedWords(text string, query map[string]bool) (shared []string) {
	for word := range allWords(text) {
		if query[word] && !slices.Contains(shared, word) {
			shared = append(shared, word)
		}
		if len(shared) == len(query) {
			break
		}
	}
	return shared
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
