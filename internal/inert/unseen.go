// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isIgnorable reports whether a character is not displayed, but read by a model: it has the
// property Default_Ignorable_Code_Point of Unicode, or reorders or annotates what is
// displayed.
func isIgnorable(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && !unicode.Is(unicode.Egyptian_Hieroglyphs, r)
}

// controls reports whether a character controls a terminal, or ends a line in only some
// programs.
func controls(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u2028' || r == '\u2029'
}

// unseen returns the offsets of the characters of a text that are not displayed and change
// nothing that is.
func unseen(text string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		var before, joiner rune // the last character that is displayed, and what was needed since
		for at := 0; at < len(text); {
			r, size := utf8.DecodeRuneInString(text[at:])
			start := at
			at += size
			next := rune(0)
			if at < len(text) {
				next, _ = utf8.DecodeRuneInString(text[at:])
			}
			switch {
			case !controls(r) && !isIgnorable(r):
				before, joiner = r, 0
			case (joiner == 0 || joiner == emojiStyle && r == zeroWidthJoiner) && needed(before, r, next):
				joiner = r
			case !yield(start, r):
				return
			default:
				before, joiner = unicode.ReplacementChar, 0
			}
		}
	}
}

// showUnseen replaces the characters that [unseen] returns.
func showUnseen(text string) string {
	var b strings.Builder
	done := 0
	for at, r := range unseen(text) {
		b.WriteString(text[done:at] + string(unicode.ReplacementChar))
		done = at + utf8.RuneLen(r)
	}
	return b.String() + text[done:]
}

const (
	zeroWidthJoiner = '\u200d'
	emojiStyle      = '\ufe0f'
)

// needed reports whether a character that is not displayed changes how a script or an emoji
// is, or breaks up a construct of Org as [Text] does. One of them stands in a place.
func needed(before, r, next rune) bool {
	switch {
	case r == '\u200b': // between words of a script without blanks, and beside a sign of Org
		return isShaped(before) && isShaped(next) || isSign(before) || isSign(next)
	case r == zeroWidthJoiner && mayBeEmoji(before):
		return mayBeEmoji(next)
	case r == '\u200c', r == zeroWidthJoiner:
		return isShaped(before) && isShaped(next)
	case r == '\u200e', r == '\u200f', r == '\u061c':
		return isShaped(before) || isShaped(next)
	case r == '\ufe0e', r == emojiStyle:
		return mayBeEmoji(before) || strings.ContainsRune("‼⁉〰ℹ", before) || next == '\u20e3' && strings.ContainsRune("0123456789#*", before)
	case r >= '\ufe00' && r <= '\ufe02':
		return unicode.In(before, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa)
	case r >= '\U000e0100' && r <= '\U000e011f': // forms of a character in names
		return unicode.Is(unicode.Han, before)
	case r >= '\u180b' && r <= '\u180f':
		return unicode.Is(unicode.Mongolian, before)
	case r == '\u115f', r == '\u1160': // a syllable that lacks a part
		return unicode.Is(unicode.Hangul, before) && !isIgnorable(before) || unicode.Is(unicode.Hangul, next) && !isIgnorable(next)
	case r == '\u034f':
		return unicode.Is(unicode.Mn, before)
	}
	return false
}

// unshaped are the scripts whose letters stand beside one another, from left to right.
var unshaped = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Ethiopic, unicode.Han,
	unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul, unicode.Common, unicode.Inherited}

// isShaped reports whether a character is of a script whose letters join, run from right to
// left, or are written without blanks.
func isShaped(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !isIgnorable(r) && !unicode.In(r, unshaped...)
}

// mayBeEmoji reports whether a character may be an emoji.
func mayBeEmoji(r rune) bool {
	return r > unicode.MaxASCII && unicode.IsSymbol(r) && r != unicode.ReplacementChar
}

// isSign reports whether a character may be part of the markup of Org: ASCII, but neither a
// letter nor a digit; or 0, which is before the start and after the end of a text.
func isSign(r rune) bool {
	return r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
