// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// macro parses {{{name}}} or {{{name(arguments)}}}.
func (p *objectParser) macro(c *contents, at int) int {
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
		return p.enclosed(c, TypeMacro, at, stop+1, closeMacro, ")}}}")
	}
	return 0
}

// exportSnippet parses @@backend:text@@.
func (p *objectParser) exportSnippet(c *contents, at int) int {
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
	return p.enclosed(c, TypeExportSnippet, at, stop+1, closeSnippet, "@@")
}

// inlineSyntax is the notation of inline code: a keyword and an underscore, a name up
// to one of stops, and text in brackets.
type inlineSyntax struct {
	kind    Type
	keyword string
	search  int
	stops   string
	open    byte
	header  bool // square brackets may follow
}

var (
	inlineSource = inlineSyntax{kind: TypeInlineSrcBlock, keyword: "src", search: nameEnd, stops: " \t\n[{", open: '{'}
	inlineCall   = inlineSyntax{kind: TypeInlineBabelCall, keyword: "call", search: callEnd, stops: " \t\n[(", open: '(', header: true}
)

// inlineCode parses src_language[header]{code} and
// call_name[header](arguments)[header]. The first underscore is at the offset at.
func (p *objectParser) inlineCode(c *contents, at int) int {
	text := p.text[:c.end]
	for _, s := range [...]*inlineSyntax{&inlineSource, &inlineCall} {
		start := at - len(s.keyword)
		if start >= c.last && text[start:at] == s.keyword && startsWord(text, c.start, start) {
			return p.inlineObject(c, s, start)
		}
	}
	return 0
}

// inlineObject parses the inline source block or call at the offset at.
func (p *objectParser) inlineObject(c *contents, s *inlineSyntax, at int) int {
	name := at + len(s.keyword) + len("_")
	stop := p.next(s.search, name, func(text string) int { return strings.IndexAny(text, s.stops) })
	if stop == name {
		return 0
	}
	stop = p.header(c, stop)
	if stop >= c.end || p.text[stop] != s.open {
		return 0
	}
	end := p.closingOffset(stop, c.end)
	if end == 0 {
		return 0
	}
	end++
	if s.header {
		end = p.header(c, end)
	}
	return p.leaf(c, s.kind, at, end)
}

// header returns the end of the square brackets at the offset at, or at if there are
// none.
func (p *objectParser) header(c *contents, at int) int {
	if at < c.end && p.text[at] == '[' {
		if end := p.closingOffset(at, c.end); end > 0 {
			return end + 1
		}
	}
	return at
}
