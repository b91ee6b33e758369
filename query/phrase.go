// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder reports whether a text holds what it looks for.
type finder interface{ MatchString(text string) bool }

// phrase finds a plain text regardless of case, by the same simple Unicode
// folding as a regular expression with (?i), and some fifty times faster when
// it is ASCII or of a script without case.
type phrase struct {
	wanted string // in lower case where folds says so
	// probe is the offset of the byte of wanted that is rarest in texts.
	probe int
	// folds is false when case cannot matter.
	folds bool
	// triggers are what a text must hold for slow to find more than comparing
	// bytes does.
	triggers []string
	slow     *regexp.Regexp
}

// newPhrase prepares a text that is not empty.
func newPhrase(text string) (finder, error) {
	if !strings.ContainsFunc(text, hasCase) {
		return phrase{wanted: text}, nil
	}
	slow, err := regexp.Compile("(?i)" + regexp.QuoteMeta(text))
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && hasCase(r) }) {
		return slow, nil
	}
	p := phrase{wanted: strings.ToLower(text), folds: true}
	for i := range len(p.wanted) {
		if rarity(p.wanted[i]) > rarity(p.wanted[p.probe]) {
			p.probe = i
		}
	}
	// Two letters of ASCII fold to letters beyond it: k to the Kelvin sign, s
	// to the long s.
	for letter, beyond := range map[string]string{"k": "\u212a", "s": "\u017f"} {
		if strings.Contains(p.wanted, letter) {
			p.triggers, p.slow = append(p.triggers, beyond), slow
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
		return strings.Contains(text, p.wanted)
	}
	if p.fast(text) {
		return true
	}
	for _, trigger := range p.triggers {
		if strings.Contains(text, trigger) {
			return p.slow.MatchString(text)
		}
	}
	return false
}

// fast looks for either case of the probe byte and compares around it.
func (p phrase) fast(text string) bool {
	last := len(text) - len(p.wanted)
	if last < 0 {
		return false
	}
	low := p.wanted[p.probe]
	high := upper(low)
	window := text[p.probe : p.probe+last+1] // where the probe byte may be
	nextLow, nextHigh := next(window, low, 0), len(window)
	if high != low {
		nextHigh = next(window, high, 0)
	}
	for {
		at := min(nextLow, nextHigh)
		if at == len(window) {
			return false
		}
		if equalFold(text[at:at+len(p.wanted)], p.wanted) {
			return true
		}
		if at == nextLow {
			nextLow = next(window, low, at+1)
		} else {
			nextHigh = next(window, high, at+1)
		}
	}
}

// next returns the offset of c in s at or behind from, or len(s).
func next(s string, c byte, from int) int {
	if i := strings.IndexByte(s[from:], c); i >= 0 {
		return from + i
	}
	return len(s)
}

func upper(c byte) byte {
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
