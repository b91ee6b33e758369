// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder reports whether a text holds what it looks for.
type textMatcher interface{ MatchString(text string) bool }

// phrase finds a plain text regardless of case, by the same simple Unicode
// folding as a regular expression with (?i), and some fifty times faster when
// it is ASCII or of a script without case.
type phrase struct {
	needle string // in lower case where folds says so
	// probe is the offset of the byte of wanted that is rarest in texts.
	probe int
	// folds is false when case cannot matter.
	folds bool
	// triggers are what a text must hold for slow to find more than comparing
	// bytes does.
	triggers []string
	fallback *regexp.Regexp
}

// newPhrase prepares a text that is not empty.
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
	// Two letters of ASCII fold to letters beyond it: k to the Kelvin sign, s
	// to the long s.
	for letter, nonASCII := range map[string]string{"k": "\u212a", "s": "\u017f"} {
		if strings.Contains(p.needle, letter) {
			p.triggers, p.fallback = append(p.triggers, nonASCII), fallback
		}
	}
	return p, nil
}

func hasCase(r rune) bool { return unicode.SimpleFold(r) != r }

// rarity orders bytes by how seldom they are in prose; only speed depends on it.
// What is not in the list, such as digits, is rarer than most letters.
func rarity(lower byte) int {
	const frequent = "vbpygfwmucldrhsnioate "
	return -strings.IndexByte(frequent, lower)
}

// MatchString reports whether text holds the phrase. Complexity is linear in
// the text for a phrase that does not nearly repeat itself, and at worst their
// product.
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

// fast looks for either case of the probe byte and compares around it.
func (p phrase) containsFolded(text string) bool {
	last := len(text) - len(p.needle)
	if last < 0 {
		return false
	}
	low := p.needle[p.probe]
	high := toUpper(low)
	window := text[p.probe : p.probe+last+1] // where the probe byte may be
	nextLow, nextHigh := nextIndex(window, low, 0), len(window)
	if high != low {
		nextHigh = nextIndex(window, high, 0)
	}
	for {
		at := min(nextLow, nextHigh)
		if at == len(window) {
			return false
		}
		if equalFold(text[at:at+len(p.needle)], p.needle) {
			return true
		}
		if at == nextLow {
			nextLow = nextIndex(window, low, at+1)
		} else {
			nextHigh = nextIndex(window, high, at+1)
		}
	}
}

// next returns the offset of c in s at or behind from, or len(s).
func nextIndex(s string, c byte, from int) int {
	if i := strings.IndexByte(s[from:], c); i >= 0 {
		return from + i
	}
	return len(s)
}

func toUpper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// equalFold compares bytes, those of ASCII letters regardless of case; lower
// has the length of s and is in lower case.
func equalFold(s, lower string) bool {
	for i := range len(lower) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
