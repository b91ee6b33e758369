// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isUnseen reports whether a character is not displayed, but read by a model: it controls a
// terminal, ends a line in only some programs, reorders or annotates what is displayed, or has
// the property Default_Ignorable_Code_Point of Unicode.
func isUnseen(r rune) bool {
	return (r < ' ' || r > '~') && r != '\n' && r != '\t' && !unicode.In(r, unicode.Prepended_Concatenation_Mark, unicode.Egyptian_Hieroglyphs) &&
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// showUnseen replaces the characters that are not displayed, and do not affect those that are, by
// U+FFFD. It also returns them. O(text).
func showUnseen(text string) (shown string, unseen []string) {
	var b strings.Builder
	var before, joiner rune // the last displayed character, and the needed one after it
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		char, rest := text[:size], text[size:]
		next, isLast := utf8.DecodeRuneInString(rest)
		if isLast == 0 {
			next = 0
		}
		switch {
		case !isUnseen(r):
			before, joiner = r, 0
		case (joiner == 0 || joiner == '\ufe0f' && r == '\u200d') && isNeeded(before, r, next):
			joiner = r
		default:
			unseen, char = append(unseen, char), "\uFFFD"
			before, joiner = unicode.ReplacementChar, 0
		}
		b.WriteString(char)
		text = rest
	}
	return b.String(), unseen
}

// isNeeded reports whether a character that is not displayed changes how a script or an emoji is
// displayed, or breaks up a construct of Org next to a sign, as [Text] does. 0 marks the ends of a text.
func isNeeded(before, r, next rune) bool {
	isSign := func(r rune) bool { return r > ' ' && r <= '~' && !unicode.In(r, unicode.L, unicode.Nd) }
	switch {
	case string(r) == zeroWidthSpace:
		return isShaped(before) && isShaped(next) || isSign(before) || isSign(next)
	case unicode.Is(unicode.Join_Control, r):
		return isShaped(before) && isShaped(next) || isEmoji(before) && isEmoji(next)
	case r == '\u200e', r == '\u200f', r == '\u061c': // the direction of neutral characters
		return isShaped(before) || isShaped(next)
	case r == '\ufe0e', r == '\ufe0f': // as text, or as a picture
		return isEmoji(before) || next == '\u20e3' // a key
	case unicode.Is(unicode.Variation_Selector, r) && r < '\U000e0120': // variants of letters, as in names
		return unicode.In(before, unicode.Han, unicode.Mongolian, unicode.Myanmar, unicode.Phags_Pa)
	}
	return false
}

// unshaped are the scripts whose letters do not join and run from left to right.
var unshaped = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Ethiopic, unicode.Han,
	unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul, unicode.Common, unicode.Inherited}

// isShaped reports whether a character is of a script whose letters join, run from right to
// left, or are written without blanks.
func isShaped(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && !isUnseen(r) && !unicode.In(r, unshaped...)
}

// isEmoji reports whether a character may be shown as an emoji.
func isEmoji(r rune) bool {
	return r > unicode.MaxASCII && unicode.IsSymbol(r) && r != unicode.ReplacementChar || strings.ContainsRune("‼⁉〰ℹ", r)
}
