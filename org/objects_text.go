// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"unicode"
	"unicode/utf8"
)

// What Emacs calls space, punctuation and the start of a word in an Org buffer,
// found by asking it about every character.

// runeBefore returns the character that ends at the offset at, not reaching below limit.
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

// isPunctuation reports whether r is neither part of a word nor space.
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

// startsWord reports whether a Latin letter at the offset at begins a word: no word
// of Latin letters, digits and the like ends there. Another script does not matter.
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

// endsLine reports whether a line ends at the offset at; limit is an end too.
func endsLine(text string, at, limit int) bool {
	return at >= limit || text[at] == '\n' || text[at] == '\r' && (at+1 >= limit || text[at+1] == '\n')
}

// runeLength returns the length in bytes of r, which begins with c.
func runeLength(r rune, c byte) int {
	if c < utf8.RuneSelf || r == utf8.RuneError {
		return 1
	}
	return utf8.RuneLen(r)
}
