// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"unicode"
	"unicode/utf8"
)

// class is a set of the character classes that o200k's pre-tokenizer distinguishes.
// Every character is in exactly one of them.
type class uint8

const (
	upper   class = 1 << iota // Lu, Lt
	lower                     // Ll
	letter                    // Lm, Lo: matches wherever upper or lower does
	mark                      // M: like letter, but also a word prefix
	number                    // N
	newline                   // \r and \n
	space                     // other white space
	other                     // everything else

	wordHead   = upper | letter | mark // in the head of a word: A
	wordTail   = lower | letter | mark // in the tail of a word: B
	wordPrefix = mark | space | other  // before a word: X
	punct      = mark | other
	whitespace = newline | space
)

var asciiClass = func() (table [utf8.RuneSelf]class) {
	for c := range table {
		table[c] = classOf(rune(c))
	}
	return table
}()

func classOf(r rune) class {
	switch {
	case r == '\n' || r == '\r':
		return newline
	case unicode.IsSpace(r):
		return space
	case unicode.IsLower(r):
		return lower
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return letter
	case unicode.IsMark(r):
		return mark
	case unicode.IsNumber(r):
		return number
	}
	return other
}

// classAt returns the class and size of the character at offset i, and (0, 0) at the
// end of s. An invalid byte is U+FFFD.
func classAt(s string, i int) (class, int) {
	if i >= len(s) {
		return 0, 0
	}
	if c := s[i]; c < utf8.RuneSelf {
		return asciiClass[c], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return classOf(r), size
}

// pieceLen returns the length of the first piece of a non-empty s, as split by o200k's
// pre-tokenizer. The pieces are the leftmost matches, first
// alternative first, of
//
//	X?A*B+C?|X?A+B*C?|\p{N}{1,3}| ?P+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// where X is [^\r\n\p{L}\p{N}], A is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], B is
// [\p{Ll}\p{Lm}\p{Lo}\p{M}], C is (?i:'s|'t|'re|'ve|'m|'ll|'d) and P is
// [^\s\p{L}\p{N}]. The scan replaces the backtracking of the expression, so
// splitting a text takes linear time.
func pieceLen(s string) int {
	first, size := classAt(s, 0)
	if first&wordPrefix != 0 {
		if end, matched := wordEnd(s, size); matched {
			return contractionEnd(s, end)
		} else if first == mark {
			return contractionEnd(s, size) // the mark itself is the word, without X
		} else if end > size {
			return contractionEnd(s, end)
		}
	} else if end, _ := wordEnd(s, 0); end > 0 {
		return contractionEnd(s, end)
	}
	switch {
	case first == number:
		end := size
		for range 2 {
			c, n := classAt(s, end)
			if c != number {
				break
			}
			end += n
		}
		return end
	case first == other:
		return punctuationEnd(s, size)
	case s[0] == ' ':
		if c, n := classAt(s, 1); c&punct != 0 {
			return punctuationEnd(s, 1+n)
		}
	}
	return spaceEnd(s)
}

// wordEnd returns the end of the word that starts at from: A*B+, or else A+B*. matched
// reports whether the first of the two matches. Without a word it returns from.
func wordEnd(s string, from int) (end int, matched bool) {
	end = from
	lastTail := from // end of the last character of the head that is also in B
	for {
		c, n := classAt(s, end)
		if c == lower {
			break
		}
		if c&wordHead == 0 {
			if lastTail > from {
				return lastTail, true // A* backtracks to its last B
			}
			return end, false
		}
		end += n
		if c&wordTail != 0 {
			lastTail = end
		}
	}
	for {
		c, n := classAt(s, end)
		if c&wordTail == 0 {
			return end, true
		}
		end += n
	}
}

// contractionEnd returns the end of the English contraction that starts at end, or end
// if there is none. The long s (U+017F) matches s regardless of case.
func contractionEnd(s string, end int) int {
	rest := s[end:]
	if len(rest) < 2 || rest[0] != '\'' {
		return end
	}
	switch rest[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return end + 2
	case 'r', 'v':
		if len(rest) > 2 && rest[2]|0x20 == 'e' {
			return end + 3
		}
	case 'l':
		if len(rest) > 2 && rest[2]|0x20 == 'l' {
			return end + 3
		}
	}
	if len(rest) > 2 && rest[1:3] == "\u017f" {
		return end + 3
	}
	return end
}

// punctuationEnd returns the end of the run of punctuation that continues at end,
// including the newlines and slashes after it.
func punctuationEnd(s string, end int) int {
	for {
		c, n := classAt(s, end)
		if c&punct == 0 {
			break
		}
		end += n
	}
	for end < len(s) && (s[end] == '\n' || s[end] == '\r' || s[end] == '/') {
		end++
	}
	return end
}

// spaceEnd returns the end of the piece of white space at the start of s: after the
// last newline of the run; else before its last character if text follows.
func spaceEnd(s string) int {
	end, last, afterNewline := 0, 0, 0
	for {
		c, n := classAt(s, end)
		if c&whitespace == 0 {
			break
		}
		last, end = end, end+n
		if c == newline {
			afterNewline = end
		}
	}
	switch {
	case afterNewline > 0:
		return afterNewline
	case end < len(s) && last > 0:
		return last
	}
	return end
}
