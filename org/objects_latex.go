// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"unicode"
)

// maxEntityBlanks is the maximum number of blanks in the entity \_ followed by
// blanks.
const maxEntityBlanks = 20

// backslash parses entities, LaTeX fragments and line breaks.
func (p *objectParser) backslash(c *contents, at int) int {
	text := p.text[:c.end]
	if at+1 >= len(text) {
		return 0
	}
	switch next := text[at+1]; {
	case next == '\\':
		return p.lineBreak(c, at)
	case next == '(':
		return p.enclosed(c, TypeLatexFragment, at, at+2, closeParen, `\)`)
	case next == '[':
		return p.enclosed(c, TypeLatexFragment, at, at+2, closeSquare, `\]`)
	case next == '_':
		stop := at + 2
		for stop < len(text) && text[stop] == ' ' {
			stop++
		}
		if n := stop - at - 2; n > 0 && n <= maxEntityBlanks {
			return p.leaf(c, TypeEntity, at, stop)
		}
	case isAlphaByte(next):
		if n := entityLength(text[at:]); n > 0 {
			return p.leaf(c, TypeEntity, at, at+n)
		}
		return p.leaf(c, TypeLatexFragment, at, at+commandLength(text[at:]))
	}
	return 0
}

// lineBreak parses two backslashes at the end of a line.
func (p *objectParser) lineBreak(c *contents, at int) int {
	if !c.allowed.has(TypeLineBreak) || at > c.start && p.text[at-1] == '\\' {
		return 0
	}
	stop := at + 2
	for stop < c.end && isBlank(p.text[stop]) {
		stop++
	}
	if !endsLine(p.text, stop, c.end) {
		return 0
	}
	if stop < c.end && p.text[stop] == '\r' {
		stop++
	}
	stop = min(stop+1, c.end)
	p.endElement(p.beginElement(TypeLineBreak, at), stop)
	return stop
}

// commandLength returns the length of the LaTeX command at the start of s: letters, a
// star, and arguments in brackets, on one line and without nested brackets.
func commandLength(s string) int {
	n := 1
	for n < len(s) && isAlphaByte(s[n]) {
		n++
	}
	if n < len(s) && s[n] == '*' {
		n++
	}
	for n < len(s) {
		var stop int
		switch s[n] {
		case '[':
			if stop = strings.IndexAny(s[n+1:], "[]{}\n"); stop < 0 || s[n+1+stop] != ']' {
				return n
			}
		case '{':
			if stop = strings.IndexAny(s[n+1:], "{}\n"); stop < 0 || s[n+1+stop] != '}' {
				return n
			}
		default:
			return n
		}
		n += stop + 2
	}
	return n
}

// dollar parses the fragments $$text$$, $text$ and $c$.
func (p *objectParser) dollar(c *contents, at int) int {
	text := p.text[:c.end]
	if strings.HasPrefix(text[at:], "$$") {
		return p.enclosed(c, TypeLatexFragment, at, at+2, closeDollars, "$$")
	}
	if at+2 >= len(text) || at > c.start && text[at-1] == '$' || strings.IndexByte(" \t\r\n.,;", text[at+1]) >= 0 {
		return 0
	}
	end := p.find(closeDollar, "$", at+1)
	if end >= c.end || strings.IndexByte(" \t\r\n.,", text[end-1]) >= 0 || !endsFragment(text, end+1) {
		return 0
	}
	return p.leaf(c, TypeLatexFragment, at, end+1)
}

// endsFragment reports whether a fragment between dollars may end before the offset
// at: before white space, punctuation, a control character, a bracket, or the end.
// Emacs counts the marks of direction and joining as punctuation, most symbols not.
func endsFragment(text string, at int) bool {
	if at == len(text) {
		return true
	}
	switch r := runeAt(text, at); {
	case r < 0x80:
		return isSpace(r) || r < ' ' || r == 0x7f || isPunctuation(r) && strings.IndexByte(`-+*/_=|~\&%$`, byte(r)) < 0
	case r >= 0x200c && r <= 0x200f:
		return true
	default:
		return isSpace(r) || unicode.IsPunct(r)
	}
}
