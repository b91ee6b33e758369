// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "strings"

// block is a definition whose lines are indented more than its own.
type block struct {
	indent int
	scope  scope // of what it holds
	found  int   // its definition
}

// scanPython reads the lines that begin outside brackets.
func scanPython(s *scanner) {
	var open []block
	closing := 0 // of the bracket around the token
	for i := 0; i < len(s.tokens); i++ {
		defines := s.token(i).first && (s.is(i, "def") || s.is(i, "class") || s.is(i, "async") && s.is(i+1, "def")) && s.word(i+1)
		if i < closing && !defines {
			continue
		}
		if m := s.mate(i); m > i {
			closing = m + 1
		}
		if !s.token(i).first || s.mark(i-1, '\\') {
			continue
		}
		indent := s.column(i)
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			open = s.endBlock(open, i)
		}
		var o scope
		if len(open) > 0 {
			o = open[len(open)-1].scope
		}
		switch {
		case defines:
			open = s.pythonDefinition(open, o, i, indent)
		case s.is(i, "import") || s.is(i, "from"):
			s.pythonImport(o, i)
		}
	}
	for len(open) > 0 {
		open = s.endBlock(open, len(s.tokens))
	}
}

// endBlock ends the last block before the token i.
func (s *scanner) endBlock(open []block, i int) []block {
	last := len(open) - 1
	d := &s.found[open[last].found]
	d.EndLine = max(d.Line, s.lastLine(i-1))
	return open[:last]
}

// lastLine returns the line in which the token i ends.
func (s *scanner) lastLine(i int) int {
	return s.lineOf(i) + strings.Count(s.text(i), "\n")
}

// column returns the width of the white space before the first token i of a line; a tab
// leads to the next multiple of 8.
func (s *scanner) column(i int) int {
	off := int(s.token(i).off)
	start := off
	for start > 0 && s.src[start-1] != '\n' {
		start--
	}
	width := 0
	for _, c := range s.src[start:off] {
		if c == '\t' {
			width = width/8*8 + 7
		}
		width++
	}
	return width
}

func (s *scanner) pythonDefinition(open []block, o scope, i, indent int) []block {
	if len(open) >= maxDepth {
		return open
	}
	at := i + 1
	kind := "class"
	if s.is(i, "async") {
		at++
	}
	if !s.is(i, "class") {
		kind = "function"
		if o.kind == "class" {
			kind = "method"
		}
	}
	head := s.headEnd(at+1, ":")
	name := s.text(at)
	s.add(o, kind, name, i, head, head)
	return append(open, block{indent: indent, scope: o.within(kind, name), found: len(s.found) - 1})
}

func (s *scanner) pythonImport(o scope, i int) {
	end := s.headEnd(i+1, ";")
	name := s.between(i+1, end)
	if s.is(i, "from") {
		name, _, _ = strings.Cut(name, " import ")
	}
	if o.depth == 0 {
		s.add(o, kindImport, name, i, end, end-1)
	}
}
