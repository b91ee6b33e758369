// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// bracketLink parses [[address]] or [[address][description]].
func (p *objectParser) bracketLink(c *contents, at int) int {
	start := at + len("[[")
	middle := p.next(closeAddress, start, unescapedBracket)
	if middle == start || middle+1 >= c.end || p.text[middle] != ']' || !c.allowed.has(TypeLink) {
		return 0
	}
	switch p.text[middle+1] {
	case ']':
		return p.leaf(c, TypeLink, at, middle+2)
	case '[':
		if end := p.find(closeLink, "]]", middle+3); end+1 < c.end {
			return p.nest(c, TypeLink, at, middle+2, end, end+2)
		}
	}
	return 0
}

// unescapedBracket returns the index of the first unescaped bracket in s, or the
// length of s.
func unescapedBracket(s string) int {
	for at := 0; at < len(s); at++ {
		switch s[at] {
		case '[', ']':
			return at
		case '\\':
			n := at
			for n < len(s) && s[n] == '\\' {
				n++
			}
			if (n-at)%2 == 0 || n == len(s) || s[n] != '[' && s[n] != ']' {
				n--
			}
			at = n
		}
	}
	return len(s)
}

// angleLink parses <type:address>.
func (p *objectParser) angleLink(c *contents, at int) int {
	name := p.text[at+1 : min(c.end, at+2+maxLinkTypeLength)]
	colon := strings.IndexByte(name, ':')
	if colon < 0 || !isLinkType(name[:colon]) {
		return 0
	}
	path := at + 1 + colon + 1
	end := p.find(closeAngle, ">", path)
	if end <= path || end >= c.end {
		return 0
	}
	return p.leaf(c, TypeLink, at, end+1)
}

// plainLink parses type:address. The colon is at the offset at.
func (p *objectParser) plainLink(c *contents, at int) int {
	if at+2 >= c.end || !c.allowed.has(TypeLink) || p.text[at+1] <= ' ' {
		return 0
	}
	start := linkTypeStart(p.text, c.last, at)
	if file := start - len("file+"); file >= c.last && strings.EqualFold(p.text[file:start], "file+") {
		start = file
	}
	if !isLinkType(p.text[start:at]) || !startsWord(p.text, c.start, start) {
		return 0
	}
	end := plainEnd(p.text[:c.end], at+1)
	if end == 0 {
		return 0
	}
	return p.leaf(c, TypeLink, start, end)
}

// plainEnd returns the end of the address of a plain link at the offset at, or 0. The
// address has no blanks, brackets only in pairs, and at least two characters. It ends
// in a word character, a slash, a dash or a pair of brackets.
func plainEnd(text string, at int) int {
	end, parts := 0, 0
	for at < len(text) {
		ends := false
		switch c := text[at]; c {
		case ' ', '\t', '\n', '\r', ')', ']', '>':
			return end
		case '(', '[', '<':
			stop := groupEnd(text, at)
			if stop == 0 {
				return end
			}
			at, ends = stop, true
		default:
			r := runeAt(text, at)
			at += runeLength(r, c)
			ends = r == '/' || r == '-' || !isPunctuation(r) && !isSpace(r)
		}
		if parts++; ends && parts > 1 {
			end = at
		}
	}
	return end
}

// groupEnd returns the end of the bracketed group at the offset at, or 0. It has no
// blanks and at most one level of nested groups.
func groupEnd(text string, at int) int {
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case ' ', '\t', '\n', '\r':
			return 0
		case '(', '[', '<':
			if depth++; depth > 2 {
				return 0
			}
		case ')', ']', '>':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return 0
}
