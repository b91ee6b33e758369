// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words returns the set of significant words of a text, in lower case. Words of one or
// two letters and stop words are left out.
func words(text string) map[string]bool {
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
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !yield(strings.ToLower(word)) {
				return
			}
		}
	}
}

// sharedWords returns the words of query in the order of their first occurrence in
// text.
func sharedWords(text string, query map[string]bool) []string {
	if len(query) == 0 {
		return nil
	}
	var shared []string
	for word := range allWords(text) {
		if query[word] && !slices.Contains(shared, word) {
			shared = append(shared, word)
		}
	}
	return shared
}

// stopWords are common English words that say nothing about a topic.
var stopWords = wordSet("the and for are was were that this with from have has had not but you your what which when where who how why can could would " +
	"should does did about into than then there their they them its our out use used will any all one may also")

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
