// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"unicode"
	"unicode/utf8"
)

// class is a set of the character classes that o200k's pre-tokenizer tells
// apart. Every character is in exactly one of them.
type class uint8

const (
	upper   class = 1 << iota // Lu, Lt
	lower                     // Ll
	letter                    // Lm, Lo: may stand where upper or lower may
	mark                      // M: like letter, but may also stand before a word
	number                    // N
	newline                   // \r and \n
	space                     // other white space
	other                     // everything else

	wordHead   = upper | letter | mark // what the head of a word is made of
	wordTail   = lower | letter | mark // what the rest of a word is made of
	wordPrefix = mark | space | other  // what may stand before a word
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

// at returns the class and size of the character at offset i, and (0, 0) at the
// end of s. It sees a byte that is not UTF-8 as U+FFFD.
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

// piece returns the length of the first piece of s, which is not empty, as
// o200k's pre-tokenizer cuts it. The pieces are the leftmost matches, first
// alternative first, of
//
//	X?A*B+C?|X?A+B*C?|\p{N}{1,3}| ?P+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// where X is [^\r\n\p{L}\p{N}], A is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], B is
// [\p{Ll}\p{Lm}\p{Lo}\p{M}], C is (?i:'s|'t|'re|'ve|'m|'ll|'d) and P is
// [^\s\p{L}\p{N}]. The walk replaces the expression's backtracking, so that
// cutting a text takes linear time.
func pieceLen(s string) int {
	first, size := classAt(s, 0)
	if first&wordPrefix != 0 {
		if end, matched := wordEnd(s, size); matched {
			return contractionEnd(s, end)
		} else if first == mark {
			return contractionEnd(s, size) // the mark is the word: the first alternative without X
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

// word returns where the word that starts at from ends: A*B+, or else A+B*.
// It is settled when the first of the two matches. Without a word it returns
// from.
func wordEnd(s string, from int) (end int, matched bool) {
	end = from
	lastTail := from // end of the last character of the head that may be a B
	for {
		c, n := classAt(s, end)
		if c == lower {
			break
		}
		if c&wordHead == 0 {
			if lastTail > from {
				return lastTail, true // A* gave back up to its last B
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

// contraction returns end, or the end of the English contraction that starts
// there. The long s is an s regardless of case.
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

// punctuation returns the end of the run of punctuation that goes on at end,
// with the newlines and slashes behind it.
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

// blank returns the end of the piece of white space at the start of s: up to
// the last newline of the run, or else all but the last character of it when
// something follows.
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
