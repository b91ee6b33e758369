// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textMatcher reports whether a text matches.
type textMatcher interface{ MatchString(text string) bool }

// phrase finds a substring without regard to case, with the simple Unicode folding of
// (?i) in a regular expression. It is about fifty times faster than that if the phrase
// is ASCII or has no cased letters.
type phrase struct {
	needle string // in lower case if folds
	// probe is the offset of the rarest byte of needle.
	probe int
	// folds is false if needle has no cased letters.
	folds bool
	// triggers are the characters outside ASCII that fold to letters of needle. A text
	// with one of them needs fallback.
	triggers []string
	fallback *regexp.Regexp
}

// newPhrase prepares a phrase, which must not be empty.
func newPhrase(text string) (textMatcher, error) {
	if !strings.ContainsFunc(text, hasCase) {
		return phrase{needle: text}, nil
	}
	fallback, err := regexp.Compile("(?i)" + regexp.QuoteMeta(text))
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && hasCase(r) }) {
		return fallback, nil
	}
	p := phrase{needle: strings.ToLower(text), folds: true}
	for i := range len(p.needle) {
		if rarity(p.needle[i]) > rarity(p.needle[p.probe]) {
			p.probe = i
		}
	}
	// Two ASCII letters fold to letters outside ASCII: k to the Kelvin sign, s to
	// the long s.
	for letter, nonASCII := range map[string]string{"k": "\u212a", "s": "\u017f"} {
		if strings.Contains(p.needle, letter) {
			p.triggers, p.fallback = append(p.triggers, nonASCII), fallback
		}
	}
	return p, nil
}

func hasCase(r rune) bool { return unicode.SimpleFold(r) != r }

// rarity orders bytes by how rare they are in prose. It affects only speed. Bytes
// outside the list, such as digits, count as rarer than most letters.
func rarity(lower byte) int {
	const frequent = "vbpygfwmucldrhsnioate "
	return -strings.IndexByte(frequent, lower)
}

// MatchString reports whether text contains the phrase. It takes linear time unless the
// phrase nearly repeats itself; the worst case is the product of the lengths.
func (p phrase) MatchString(text string) bool {
	if !p.folds {
		return strings.Contains(text, p.needle)
	}
	if p.containsFolded(text) {
		return true
	}
	for _, trigger := range p.triggers {
		if strings.Contains(text, trigger) {
			return p.fallback.MatchString(text)
		}
	}
	return false
}

// containsFolded searches for either case of the probe byte and compares around it.
func (p phrase) containsFolded(text string) bool {
	last := len(text) - len(p.needle)
	if last < 0 {
		return false
	}
	low := p.needle[p.probe]
	high := low
	if 'a' <= low && low <= 'z' {
		high -= 'a' - 'A'
	}
	window := text[p.probe : p.probe+last+1] // possible offsets of the probe byte
	nextLow, nextHigh := nextIndex(window, low, 0), len(window)
	if high != low {
		nextHigh = nextIndex(window, high, 0)
	}
	for {
		at := min(nextLow, nextHigh)
		if at == len(window) {
			return false
		}
		if strings.EqualFold(text[at:at+len(p.needle)], p.needle) {
			return true
		}
		if at == nextLow {
			nextLow = nextIndex(window, low, at+1)
		} else {
			nextHigh = nextIndex(window, high, at+1)
		}
	}
}

// nextIndex returns the offset of c in s at or after from, or len(s).
func nextIndex(s string, c byte, from int) int {
	if i := strings.IndexByte(s[from:], c); i >= 0 {
		return from + i
	}
	return len(s)
}
