// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// scanner is the first pass. It finds the headlines and, outside blocks that hide
// them, the keyword lines and the openings of property drawers.
type scanner struct {
	src            string
	inlinetasks    int // minimum stars of an inline task; 0 for none
	headlines      []headlineMark
	keywords       []Keyword
	drawerOpenings []int // offsets of lines that open a property drawer
	diagnostics    []Diagnostic

	block    block     // the current block
	unclosed blockKind // kinds of blocks that do not end before the next headline
}

// headlineMark is the offset of a headline's first star and the number of its stars.
type headlineMark struct{ start, level int }

// scan scans the lines from the offset at to the end. If a block does not end before
// the next headline, it is no block and its lines are scanned again. That happens at
// most once for each kind between two headlines, so the time stays linear.
func (s *scanner) scan(at int) {
	for {
		if at >= len(s.src) {
			if s.block.kind == 0 {
				return
			}
			at = s.abandonBlock()
			continue
		}
		l := lineAt(s.src, at, len(s.src))
		at = l.next
		if s.src[l.start] == '*' {
			level := starsAt(s.src, l.start)
			if s.inlinetasks > 0 && level >= s.inlinetasks {
				continue
			}
			switch {
			case level > 0 && s.block.kind != 0:
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
	if s.block.kind != 0 {
		if s.block.endsAt(text) {
			s.block = block{}
		}
		return
	}
	if kind, name := blockStart(text); kind != 0 && s.unclosed&kind == 0 {
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
	s.unclosed |= b.kind
	message := "block is not closed before the next headline, so it is no block"
	s.diagnostics = append(s.diagnostics, Diagnostic{Offset: b.start, Message: message})
	return b.next
}

// blockKind is a set of kinds of blocks whose lines are not parsed as Org.
type blockKind uint8

const (
	blockSrc blockKind = 1 << iota
	blockExample
	blockExport
	blockComment
	blockVerse
	blockLaTeX
)

// blockNames are the names of blocks that hide keywords, as after #+begin_. The lines
// of other blocks, such as quotes, are Org.
var blockNames = [...]struct {
	name string
	kind blockKind
}{
	{"src", blockSrc},
	{"example", blockExample},
	{"export", blockExport},
	{"comment", blockComment},
	{"verse", blockVerse},
}

// block is an opened block.
type block struct {
	kind        blockKind
	name        string
	start, next int // offsets of its first and second line
}

// blockStart returns the kind and name of the block that a trimmed line starts, or 0.
func blockStart(text string) (blockKind, string) {
	const begin, beginLaTeX = "#+begin_", `\begin{`
	if strings.HasPrefix(text, beginLaTeX) {
		name, _, ok := strings.Cut(text[len(beginLaTeX):], "}")
		if !ok || name == "" || strings.ContainsFunc(name, notLaTeXName) {
			return 0, ""
		}
		return blockLaTeX, name
	}
	if !hasPrefixFold(text, begin) {
		return 0, ""
	}
	word, _ := cutBlank(text[len(begin):])
	for _, b := range blockNames {
		if strings.EqualFold(word, b.name) {
			return b.kind, b.name
		}
	}
	return 0, ""
}

func notLaTeXName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '*')
}

// endsAt reports whether a line without leading blanks ends b.
func (b block) endsAt(text string) bool {
	const end, endLaTeX = "#+end_", `\end{`
	text = trimBlanksRight(text)
	if b.kind == blockLaTeX {
		rest, ok := strings.CutPrefix(text, endLaTeX)
		return ok && len(rest) == len(b.name)+1 && strings.HasPrefix(rest, b.name) && rest[len(b.name)] == '}'
	}
	return hasPrefixFold(text, end) && strings.EqualFold(text[len(end):], b.name)
}
