// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// angle reads targets, timestamps and links that begin with an angle bracket.
func (p *inliner) angle(c *contents, at int) int {
	if at+1 >= c.end {
		return 0
	}
	switch next := p.text[at+1]; {
	case next == '<' && at+2 < c.end && p.text[at+2] == '<':
		if end := targetEnd(p.text[:c.end], at+3, ">>>"); end > 0 {
			return p.nest(c, TypeRadioTarget, at, at+3, end, end+3)
		}
	case next == '<':
		if end := targetEnd(p.text[:c.end], at+2, ">>"); end > 0 {
			return p.leaf(c, TypeTarget, at, end+2)
		}
	case isDigit(next) || next == '%':
		return p.timestamp(c, at)
	case isAlphaByte(next):
		return p.angleLink(c, at)
	}
	return 0
}

// targetEnd returns the end of the text of a target, which begins at the offset at
// and ends in front of shut; 0 when there is none. It has no angle brackets, line
// breaks, or blanks around it.
func targetEnd(text string, at int, shut string) int {
	n := strings.IndexAny(text[at:], "<>\n")
	if n <= 0 || !strings.HasPrefix(text[at+n:], shut) || isBlank(text[at]) || isBlank(text[at+n-1]) {
		return 0
	}
	return at + n
}

// macro reads {{{name}}} or {{{name(arguments)}}}.
func (p *inliner) macro(c *contents, at int) int {
	text := p.text[:c.end]
	name := at + len("{{{")
	if !strings.HasPrefix(text[at:], "{{{") || name >= len(text) || !isAlphaByte(text[name]) {
		return 0
	}
	stop := name
	for stop < len(text) && (isAlnumByte(text[stop]) || text[stop] == '-' || text[stop] == '_') {
		stop++
	}
	switch rest := text[stop:]; {
	case strings.HasPrefix(rest, "}}}"):
		return p.leaf(c, TypeMacro, at, stop+3)
	case strings.HasPrefix(rest, "("):
		if end := p.find(closeMacro, ")}}}", stop+1); end+4 <= c.end {
			return p.leaf(c, TypeMacro, at, end+4)
		}
	}
	return 0
}

// exportSnippet reads @@backend:text@@.
func (p *inliner) exportSnippet(c *contents, at int) int {
	text := p.text[:c.end]
	if !strings.HasPrefix(text[at:], "@@") {
		return 0
	}
	stop := at + 2
	for stop < len(text) && (isAlnumByte(text[stop]) || text[stop] == '-') {
		stop++
	}
	if stop == at+2 || stop == len(text) || text[stop] != ':' {
		return 0
	}
	if end := p.find(closeSnippet, "@@", stop+1); end+2 <= c.end {
		return p.leaf(c, TypeExportSnippet, at, end+2)
	}
	return 0
}

// inlineCode reads src_language[header]{code} and call_name[header](arguments)[header],
// whose first line below is at the offset at.
func (p *inliner) inlineCode(c *contents, at int) int {
	text := p.text[:c.end]
	switch {
	case at-c.done >= 3 && text[at-3:at] == "src" && startsWord(text, c.start, at-3):
		return p.inlineSource(c, at-3)
	case at-c.done >= 4 && text[at-4:at] == "call" && startsWord(text, c.start, at-4):
		return p.inlineCall(c, at-4)
	}
	return 0
}

func (p *inliner) inlineSource(c *contents, at int) int {
	name := at + len("src_")
	stop := p.findAny(nameEnd, " \t\n[{", name)
	if stop == name || stop >= c.end {
		return 0
	}
	if p.text[stop] == '[' {
		if stop = p.pair(stop, c.end) + 1; stop == 1 || stop >= c.end {
			return 0
		}
	}
	if p.text[stop] != '{' {
		return 0
	}
	end := p.pair(stop, c.end)
	if end == 0 {
		return 0
	}
	return p.leaf(c, TypeInlineSrcBlock, at, end+1)
}

func (p *inliner) inlineCall(c *contents, at int) int {
	name := at + len("call_")
	stop := p.findAny(callEnd, " \t\n[(", name)
	if stop == name || stop >= c.end {
		return 0
	}
	if p.text[stop] == '[' {
		if stop = p.pair(stop, c.end) + 1; stop == 1 || stop >= c.end {
			return 0
		}
	}
	if p.text[stop] != '(' {
		return 0
	}
	end := p.pair(stop, c.end) + 1
	if end == 1 {
		return 0
	}
	if end < c.end && p.text[end] == '[' {
		if header := p.pair(end, c.end); header > 0 {
			end = header + 1
		}
	}
	return p.leaf(c, TypeInlineBabelCall, at, end)
}
