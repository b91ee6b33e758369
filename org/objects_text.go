// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"unicode"
	"unicode/utf8"
)

// The character classes of an Org buffer (white space, punctuation, word start) as
// Emacs defines them, determined by querying Emacs for every character.

// runeBefore returns the character that ends at the offset at and starts at limit or
// later.
func runeBefore(text string, limit, at int) rune {
	if c := text[at-1]; c < utf8.RuneSelf {
		return rune(c)
	}
	r, _ := utf8.DecodeLastRuneInString(text[max(limit, at-utf8.UTFMax):at])
	return r
}

// runeAt returns the character at the offset at.
func runeAt(text string, at int) rune {
	if c := text[at]; c < utf8.RuneSelf {
		return rune(c)
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	return r
}

// isPunctuation reports whether r is neither a word character nor white space.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && !isAlnumByte(byte(r)) && r != 0x7f
	}
	return unicode.IsPunct(r) || r < 0x1f000 && unicode.IsSymbol(r)
}

func isAlphaByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isAlnumByte(c byte) bool { return isAlphaByte(c) || isDigit(c) }

func isAlnum(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnumByte(byte(r))
	}
	return isAlpha(r) || unicode.IsDigit(r)
}

func isAlpha(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlphaByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// startsWord reports whether a Latin letter at the offset at starts a word: no Latin
// letter, digit or similar character precedes it. Other scripts do not count.
func startsWord(text string, limit, at int) bool {
	if at == limit {
		return true
	}
	r := runeBefore(text, limit, at)
	if r < utf8.RuneSelf {
		return !isAlnumByte(byte(r)) && r != '\'' && r != '$' && r != '%'
	}
	return !unicode.Is(unicode.Latin, r) && !unicode.IsMark(r)
}

// endsLine reports whether a line, or the text up to limit, ends at the offset at.
func endsLine(text string, at, limit int) bool {
	return at >= limit || text[at] == '\n' || text[at] == '\r' && (at+1 >= limit || text[at+1] == '\n')
}

// runeLength returns the length in bytes of r, whose first byte is c.
func runeLength(r rune, c byte) int {
	if c < utf8.RuneSelf || r == utf8.RuneError {
		return 1
	}
	return utf8.RuneLen(r)
}
