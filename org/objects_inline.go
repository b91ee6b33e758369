// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

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

// inlineSource reads the source code that begins at the offset at.
func (p *inliner) inlineSource(c *contents, at int) int {
	name := at + len("src_")
	stop := p.findAny(nameEnd, " \t\n[{", name)
	if stop == name {
		return 0
	}
	stop = p.header(c, stop)
	if stop >= c.end || p.text[stop] != '{' {
		return 0
	}
	end := p.pair(stop, c.end)
	if end == 0 {
		return 0
	}
	return p.leaf(c, TypeInlineSrcBlock, at, end+1)
}

// inlineCall reads the call that begins at the offset at.
func (p *inliner) inlineCall(c *contents, at int) int {
	name := at + len("call_")
	stop := p.findAny(callEnd, " \t\n[(", name)
	if stop == name {
		return 0
	}
	stop = p.header(c, stop)
	if stop >= c.end || p.text[stop] != '(' {
		return 0
	}
	end := p.pair(stop, c.end)
	if end == 0 {
		return 0
	}
	return p.leaf(c, TypeInlineBabelCall, at, p.header(c, end+1))
}

// header returns the offset behind the square brackets at the offset at; at itself
// when there are none.
func (p *inliner) header(c *contents, at int) int {
	if at < c.end && p.text[at] == '[' {
		if end := p.pair(at, c.end); end > 0 {
			return end + 1
		}
	}
	return at
}
