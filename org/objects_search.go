// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// The searches for the end of an object. Each caches its next match, which depends only
// on the text, so a text with many unterminated objects is scanned once.
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

// next returns the next result of a search from the offset from on, or the length of the
// text. index returns the offset of a match in the text from there on, or -1. For each
// search the offsets must not decrease.
func (p *objectParser) next(search, from int, index func(text string) int) int {
	if p.lookahead[search] < from {
		if at := index(p.text[min(from, len(p.text)):]); at < 0 {
			p.lookahead[search] = len(p.text)
		} else {
			p.lookahead[search] = from + at
		}
	}
	return p.lookahead[search]
}

// find returns the offset of the next match of pattern, see [objectParser.next].
func (p *objectParser) find(search int, pattern string, from int) int {
	return p.next(search, from, func(text string) int { return strings.Index(text, pattern) })
}

// findWhere is find for the next byte c for which ok holds.
func (p *objectParser) findWhere(search int, c byte, from int, ok func(text string, at int) bool) int {
	return p.next(search, from, func(text string) int {
		for at := from; ; at++ {
			i := strings.IndexByte(p.text[min(at, len(p.text)):], c)
			if i < 0 {
				return -1
			}
			if at += i; ok(p.text, at) {
				return at - from
			}
		}
	})
}

// maxPairScan is the number of bytes to scan for a closing bracket before all
// brackets are matched.
const maxPairScan = 1024

// closingOffset returns the offset of the bracket that closes the one at the offset
// at, or 0 if there is none before limit. Only brackets of the same kind count.
func (p *objectParser) closingOffset(at, limit int) int {
	if p.closingBrackets == nil {
		near := min(limit, at+maxPairScan)
		if end := closingBracket(p.text[:near], at, near); end > 0 || near == limit {
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
// at, or 0 if there is none or brackets are nested deeper than maxDepth.
func closingBracket(text string, at, maxDepth int) int {
	open := text[at]
	shut, depth := matchingBracket(open), 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case open:
			if depth++; depth > maxDepth {
				return 0
			}
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
