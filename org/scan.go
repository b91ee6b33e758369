// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// scanner is the first pass: it finds the headlines and, outside the blocks that
// hide them, the keyword lines and the openings of property drawers.
type scanner struct {
	src            string
	inlinetasks    int // so many stars make no headline; 0 for no bound
	headlines      []headlineMark
	keywords       []Keyword
	drawerOpenings []int // offsets of the lines that open a property drawer
	diagnostics    []Diagnostic

	block    block     // the block around the current line
	unclosed blockKind // kinds that are not closed before the next headline
}

// headlineMark is a headline by the offset of its first star and their number.
type headlineMark struct{ start, level int }

// scan reads the lines from the offset at to the end. A block that turns out not to
// be closed before the next headline is no block, so its lines are read again as
// others; that happens once for each kind between two headlines, so that the time
// stays linear.
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

// line reads a line that does not begin with a star.
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
		if isDrawerOpen(text) {
			s.drawerOpenings = append(s.drawerOpenings, l.start)
		}
		return
	}
	if key, value := setting(text); key != "" {
		s.keywords = append(s.keywords, Keyword{key, value, l.start, l.next})
	}
}

// abandonBlock gives up the current block, which no line closes before the next headline,
// and returns the offset of the line after its first.
func (s *scanner) abandonBlock() int {
	b := s.block
	s.block = block{}
	s.unclosed |= b.kind
	message := "block is not closed before the next headline, so it is no block"
	s.diagnostics = append(s.diagnostics, Diagnostic{Offset: b.start, Message: message})
	return b.next
}

// blockKind is a set of kinds of blocks whose lines are not read as Org.
type blockKind uint8

const (
	blockSrc blockKind = 1 << iota
	blockExample
	blockExport
	blockComment
	blockVerse
	blockLaTeX
)

// blockNames are the names behind #+begin_ that hide keywords. Lines of other
// blocks, such as quotes, are Org.
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

// block is a block that began and may end.
type block struct {
	kind        blockKind
	name        string
	start, next int // offsets of its first line and of the second
}

// blockStart returns the kind and name of the block that the trimmed line text
// begins, or 0.
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

// endsAt reports whether the line text, which has no blanks before it, ends b.
func (b block) endsAt(text string) bool {
	const end, endLaTeX = "#+end_", `\end{`
	text = trimBlanksRight(text)
	if b.kind == blockLaTeX {
		rest, ok := strings.CutPrefix(text, endLaTeX)
		return ok && len(rest) == len(b.name)+1 && strings.HasPrefix(rest, b.name) && rest[len(b.name)] == '}'
	}
	return hasPrefixFold(text, end) && strings.EqualFold(text[len(end):], b.name)
}
