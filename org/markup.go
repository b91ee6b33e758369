// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// markup parses bold, italic, strike-through, verbatim and code.
func (p *objectParser) markup(c *contents, at int) int {
	switch p.text[at] {
	case '*':
		return p.emphasis(c, TypeBold, closeBold, at)
	case '/':
		return p.emphasis(c, TypeItalic, closeItalic, at)
	case '+':
		return p.emphasis(c, TypeStrikeThrough, closeStrike, at)
	case '=':
		return p.emphasis(c, TypeVerbatim, closeVerbatim, at)
	}
	return p.emphasis(c, TypeCode, closeCode, at)
}

// underscore parses an object that starts with an underscore or has one near its
// start.
func (p *objectParser) underscore(c *contents, at int) int {
	if at-c.last >= len("src") {
		if end := p.inlineCode(c, at); end > 0 {
			return end
		}
	}
	if end := p.emphasis(c, TypeUnderline, closeUnder, at); end > 0 {
		return end
	}
	return p.script(c, TypeSubscript, at)
}

// emphasis parses text between two markers. White space or certain punctuation
// precedes the first marker and does not follow it; the reverse holds for the second.
func (p *objectParser) emphasis(c *contents, kind Type, search, at int) int {
	if at+2 >= c.end || isSpace(runeAt(p.text, at+1)) || at > c.start && !opensMarkup(runeBefore(p.text, c.start, at)) {
		return 0
	}
	stop := p.findWhere(search, p.text[at], at+2, closesMarkup)
	// The end of the contents acts as a line end.
	if last := c.end - 1; stop > last && p.text[last] == p.text[at] && !isSpace(runeBefore(p.text, c.start, last)) {
		stop = last
	}
	if stop >= c.end {
		return 0
	}
	if kind == TypeVerbatim || kind == TypeCode {
		return p.leaf(c, kind, at, stop+1)
	}
	return p.nest(c, kind, at, at+1, stop, stop+1)
}

// opensMarkup reports whether an opening marker may follow r.
func opensMarkup(r rune) bool {
	return strings.ContainsRune(" \n-({'\"", r) || isSpace(r)
}

// closesMarkup reports whether the marker at the offset at may be a closing one.
func closesMarkup(text string, at int) bool {
	if at == 0 || isSpace(runeBefore(text, 0, at)) {
		return false
	}
	if at+1 == len(text) {
		return true
	}
	r := runeAt(text, at+1)
	return strings.ContainsRune(" \n-.,;:!?'\")}[\\", r) || isSpace(r)
}

// maxScriptDepth is the maximum nesting depth of brackets in a sub- or superscript.
const maxScriptDepth = 3

// script parses a subscript or superscript, whose sign must follow a character.
func (p *objectParser) script(c *contents, kind Type, at int) int {
	if at == c.start || at+1 >= c.end || isSpace(runeBefore(p.text, c.start, at)) {
		return 0
	}
	inner := at + 1
	switch open := p.text[inner]; open {
	case '{', '(':
		end := closingBracket(p.text[:c.end], inner, maxScriptDepth)
		switch {
		case end == 0:
		case open == '{':
			return p.nest(c, kind, at, inner+1, end, end+1)
		default: // the parentheses are part of the script
			return p.nest(c, kind, at, inner, end+1, end+1)
		}
	case '*':
		return p.nest(c, kind, at, inner, inner+1, inner+1)
	case '\\':
		if kind == TypeSuperscript {
			return 0 // x^\alpha is a caret and an entity, but x_\alpha a subscript
		}
		fallthrough
	default:
		if end := bareScript(p.text[:c.end], inner); end > 0 {
			return p.nest(c, kind, at, inner, end, end)
		}
	}
	return 0
}

// bareScript returns the end of a script without brackets: an optional sign, then
// letters, digits, dots, commas and backslashes, the last of which is a letter or
// digit.
func bareScript(text string, at int) int {
	if text[at] == '+' || text[at] == '-' {
		at++
	}
	end := 0
	for at < len(text) {
		r := runeAt(text, at)
		switch {
		case isAlnum(r):
			at += runeLength(r, text[at])
			end = at
		case r == '.' || r == ',' || r == '\\':
			at++
		default:
			return end
		}
	}
	return end
}
