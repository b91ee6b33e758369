// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// scanner is the first pass. It finds the headlines and, outside blocks that hide
// them, the keyword lines and the openings of property drawers.
type scanner struct {
	src            string
	headlines      []headlineMark
	keywords       []Keyword
	drawerOpenings []int // offsets of lines that open a property drawer
	diagnostics    []Diagnostic

	block    block  // the current block
	unclosed uint64 // types of blocks that do not end before the next headline, as bits
}

// headlineMark is the offset of a headline's first star and the number of its stars.
type headlineMark struct{ start, level int }

// scan scans the lines from the offset at to the end. A block must end before the next
// headline; otherwise its lines are scanned again as text. That happens at most once for
// each kind between two headlines, so the time is linear.
func (s *scanner) scan(at int) {
	for {
		if at >= len(s.src) {
			if s.block.kind == TypeNone {
				return
			}
			at = s.abandonBlock()
			continue
		}
		l := lineAt(s.src, at, len(s.src))
		at = l.next
		if s.src[l.start] == '*' {
			level := starsAt(s.src, l.start)
			switch {
			case level > 0 && s.block.kind != TypeNone:
				at = s.abandonBlock()
			case level > 0:
				s.unclosed = 0
				s.headlines = append(s.headlines, headlineMark{l.start, level})
			}
			continue
		}
		s.line(l)
	}
}

// line scans a line that does not start with a star.
func (s *scanner) line(l line) {
	i := l.start
	for i < l.end && isBlank(s.src[i]) {
		i++
	}
	if i == l.end {
		return
	}
	switch s.src[i] {
	case '#', '\\', ':':
	default:
		return
	}
	text := s.src[i:l.end]
	if s.block.kind != TypeNone {
		if s.block.endsAt(text) {
			s.block = block{}
		}
		return
	}
	if kind, name := hidingBlock(text); kind != TypeNone && s.unclosed&(1<<kind) == 0 {
		s.block = block{kind, name, l.start, l.next}
		return
	}
	if text[0] == ':' {
		if isDrawerLine(text, drawerOpen) {
			s.drawerOpenings = append(s.drawerOpenings, l.start)
		}
		return
	}
	if key, value := setting(text); key != "" {
		s.keywords = append(s.keywords, Keyword{key, value, l.start, l.next})
	}
}

// abandonBlock discards the current block, which does not end before the next
// headline, and returns the offset of its second line.
func (s *scanner) abandonBlock() int {
	b := s.block
	s.block = block{}
	s.unclosed |= 1 << b.kind
	message := "block is not closed before the next headline, so it is not read as a block"
	s.diagnostics = append(s.diagnostics, Diagnostic{Offset: b.start, Message: message})
	return b.next
}

// block is an opened block.
type block struct {
	kind        Type
	name        string
	start, next int // offsets of its first and second line
}

// hidingBlock returns the type and name of the block that a trimmed line starts if its
// lines are not parsed as Org. The lines of other blocks, such as quotes, are.
func hidingBlock(text string) (Type, string) {
	if name := environmentName(text); name != "" {
		return TypeLatexEnvironment, name
	}
	name := blockName(text)
	switch kind := blockType(name); kind {
	case TypeSrcBlock, TypeExampleBlock, TypeExportBlock, TypeCommentBlock, TypeVerseBlock:
		return kind, name
	}
	return TypeNone, ""
}

// endsAt reports whether a line without leading blanks ends b.
func (b block) endsAt(text string) bool {
	const end, endLaTeX = "#+end_", `\end{`
	text = trimBlanksRight(text)
	if b.kind == TypeLatexEnvironment {
		rest, ok := strings.CutPrefix(text, endLaTeX)
		return ok && len(rest) == len(b.name)+1 && strings.HasPrefix(rest, b.name) && rest[len(b.name)] == '}'
	}
	return hasPrefixFold(text, end) && strings.EqualFold(text[len(end):], b.name)
}
