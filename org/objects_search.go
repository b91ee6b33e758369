// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// The searches for the end of an object. Each remembers its next match, which depends
// only on the text, so text with many unterminated objects is scanned once.
const (
	closeBold = iota
	closeItalic
	closeStrike
	closeUnder
	closeVerbatim
	closeCode
	closeLink    // ]]
	closeAddress // an unescaped bracket
	closeMacro   // )}}}
	closeSnippet // @@
	closeAngle   // >
	closeParen   // \)
	closeSquare  // \]
	closeDollar  // $
	closeDollars // $$
	keyStart     // @ of a citation
	nameEnd      // end of the language of source code
	callEnd      // end of the name of a call
	searches
)

// find returns the offset of the next match of pattern from the offset from on, or
// the length of the text. For each search the offsets must not decrease.
func (p *objectParser) find(search int, pattern string, from int) int {
	if p.lookahead[search] < from {
		p.lookahead[search] = p.remember(strings.Index(p.text[min(from, len(p.text)):], pattern), from)
	}
	return p.lookahead[search]
}

// findAny is find for any byte of set.
func (p *objectParser) findAny(search int, set string, from int) int {
	if p.lookahead[search] < from {
		p.lookahead[search] = p.remember(strings.IndexAny(p.text[min(from, len(p.text)):], set), from)
	}
	return p.lookahead[search]
}

// remember converts a match relative to from into an offset.
func (p *objectParser) remember(found, from int) int {
	if found < 0 {
		return len(p.text)
	}
	return from + found
}

// findWhere is find for the next byte c for which ok holds.
func (p *objectParser) findWhere(search int, c byte, from int, ok func(text string, at int) bool) int {
	if p.lookahead[search] >= from {
		return p.lookahead[search]
	}
	at := min(from, len(p.text))
	for ; at < len(p.text); at++ {
		i := strings.IndexByte(p.text[at:], c)
		if i < 0 {
			at = len(p.text)
			break
		}
		if at += i; ok(p.text, at) {
			break
		}
	}
	p.lookahead[search] = at
	return at
}

// maxPairScan is the number of bytes to scan for a closing bracket before all
// brackets are matched.
const maxPairScan = 1024

// closingOffset returns the offset of the bracket that closes the one at the offset
// at, or 0 if there is none before limit. Only brackets of the same kind count.
func (p *objectParser) closingOffset(at, limit int) int {
	if p.closingBrackets == nil {
		near := min(limit, at+maxPairScan)
		if end := closingBracket(p.text[:near], at); end > 0 || near == limit {
			return end
		}
		p.closingBrackets = matchBrackets(p.text[p.base:])
	}
	if end := int(p.closingBrackets[at-p.base]); end > 0 && p.base+end < limit {
		return p.base + end
	}
	return 0
}

// closingBracket returns the offset of the bracket that closes the one at the offset
// at, or 0.
func closingBracket(text string, at int) int {
	open := text[at]
	shut, depth := matchingBracket(open), 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

func matchingBracket(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '{':
		return '}'
	}
	return ']'
}

// matchBrackets returns the offset of the closing bracket, or 0, for each opening
// one.
func matchBrackets(text string) []int32 {
	ends := make([]int32, len(text))
	var open [3][]int32
	for i := range len(text) {
		switch kind := strings.IndexByte("([{)]}", text[i]); {
		case kind < 0:
		case kind < 3:
			open[kind] = append(open[kind], int32(i))
		default:
			if stack := open[kind-3]; len(stack) > 0 {
				ends[stack[len(stack)-1]] = int32(i)
				open[kind-3] = stack[:len(stack)-1]
			}
		}
	}
	return ends
}
