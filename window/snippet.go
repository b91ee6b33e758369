// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSnippet is the maximum cost of a snippet in quarters of a token: about 60 tokens.
const maxSnippet = 240

// snippetOf returns the paragraph of body that contains the most distinct words of
// query, or the first paragraph if none contains any, truncated to about 60 tokens.
func snippetOf(body string, query map[string]bool) string {
	best, bestMatches := "", -1
	var paragraph []string
	endParagraph := func() bool {
		text := strings.Join(paragraph, "\n")
		paragraph = paragraph[:0]
		if text == "" {
			return true
		}
		if n := countMatches(text, query); n > bestMatches {
			best, bestMatches = text, n
		}
		return len(query) > 0
	}
	for line := range strings.SplitSeq(bodyOf(body), "\n") {
		switch text := strings.TrimSpace(line); {
		case text == "":
			if !endParagraph() {
				return truncateProse(best)
			}
		case !strings.HasPrefix(text, "#+"): // keyword lines carry little information
			paragraph = append(paragraph, line)
		}
	}
	endParagraph()
	return truncateProse(best)
}

// letterCost estimates the cost of a letter in quarters of a token.
func letterCost(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return min(4, utf8.RuneLen(r)+1)
}

// truncateProse truncates text to maxSnippet: after the last sentence that ends in the
// second half, else after a word with an ellipsis.
func truncateProse(text string) string {
	used, sentence, word := 0, 0, 0
	var previous rune
	for i, r := range text {
		if unicode.IsSpace(r) {
			word = i
			if used >= maxSnippet/2 && strings.ContainsRune(".!?:", previous) {
				sentence = i
			}
		} else if strings.ContainsRune("。！？", previous) && used >= maxSnippet/2 {
			sentence = i
		}
		if used += letterCost(r); used > maxSnippet {
			switch {
			case sentence > 0:
				return text[:sentence]
			case word > 0:
				return strings.TrimRightFunc(text[:word], unicode.IsSpace) + " " + ellipsis
			default:
				return text[:i] + ellipsis
			}
		}
		previous = r
	}
	return text
}

// words returns the set of significant words of a text, in lower case. Words of one or
// two letters and stop words are left out.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range wordsOf(text) {
		set[word] = true
	}
	return set
}

// wordsOf yields the significant words of a text.
func wordsOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range allWords(text) {
			if utf8.RuneCountInString(word) > 2 && !stopWords[word] && !yield(word) {
				return
			}
		}
	}
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

// countMatches returns the number of distinct words of query in text.
func countMatches(text string, query map[string]bool) int {
	return len(sharedWords(text, query))
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
