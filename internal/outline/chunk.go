// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"unicode/utf8"
)

// Chunk is a piece of a file: the bytes from Start to before End, and the lines that they
// are on, counted from 1. A line that is cut belongs to several chunks.
type Chunk struct {
	Start, End         int
	FirstLine, EndLine int
}

// Org is the language of Org files for [Chunks]. It has no outline.
const Org = "Org"

// Cuts, the best last. A chunk ends where the best cut is.
const (
	cutRune = iota
	cutSentence
	cutLine
	cutBlank
	cutHeading // a heading, or a definition within another
	cutOuter   // a definition or a heading that is in no other
)

// Chunks cuts a text into pieces of at most limit bytes, at least utf8.UTFMax, that join to
// the text byte for byte: before definitions of source code and headings of Org and Markdown,
// else at blank lines, ends of lines, or ends of sentences, and within a rune never, unless
// it is none. An empty text has no chunks. O(len(src)).
func Chunks(language string, src []byte, limit int) []Chunk {
	limit = max(limit, utf8.UTFMax)
	var chunks []Chunk
	c := chunker{src: src, limit: limit, outer: map[int]int8{}, org: language == Org}
	if len(src) > limit {
		c.code = c.findDefinitions(language)
	}
	line := 1
	for start := 0; start < len(src); {
		end := c.next(start, line)
		breaks := bytes.Count(src[start:end], []byte("\n"))
		last := line + breaks
		if src[end-1] == '\n' {
			last--
		}
		chunks = append(chunks, Chunk{start, end, line, last})
		start, line = end, line+breaks
	}
	return chunks
}

// chunker finds where to cut.
type chunker struct {
	src   []byte
	limit int
	outer map[int]int8 // by line, the kind of cut before it
	code  bool         // there are definitions
	org   bool
}

// findDefinitions notes the lines that definitions begin on, and reports whether there are
// any. The comment and the decorators right above one belong to it.
func (c *chunker) findDefinitions(language string) bool {
	defs := Definitions(language, c.src)
	if len(defs) == 0 {
		return false
	}
	begins := map[int]int8{}
	for _, d := range defs {
		kind := int8(cutHeading)
		if d.Depth == 0 {
			kind = cutOuter
		}
		begins[d.Line] = max(begins[d.Line], kind)
	}
	n, above := 0, 0 // above is the first of the lines right above line n that belong to it
	for line := range bytes.Lines(c.src) {
		n++
		if kind, ok := begins[n]; ok {
			at := n
			if above > 0 {
				at = above
			}
			c.outer[at] = max(c.outer[at], kind)
			above = 0
			continue
		}
		switch isAside := isAside(bytes.TrimSpace(line)); {
		case !isAside:
			above = 0
		case above == 0:
			above = n
		}
	}
	return true
}

// isAside reports whether a line, without blanks around it, is a comment, a decorator, or an
// attribute.
func isAside(line []byte) bool {
	for _, start := range []string{"//", "#", "/*", "*", "@", ";", `"""`} {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	return false
}

// next returns the end of the chunk that begins at start, which is on a line with the given
// number: the last of the best cuts in its second half, or in all of it if those are only
// ends of lines or less.
func (c *chunker) next(start, line int) int {
	if len(c.src)-start <= c.limit {
		return len(c.src)
	}
	rest := c.src[start : start+c.limit]
	best, kind := 0, int8(-1)
	for at := 0; ; line++ {
		i := bytes.IndexByte(rest[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		if at == len(rest) && start+at == len(c.src) {
			break
		}
		if k := c.kindAt(start+at, line+1); k >= kind || best < c.limit/2 && k >= min(kind, cutBlank) {
			best, kind = at, k
		}
	}
	if best > 0 {
		return start + best
	}
	return start + sentenceEnd(rest)
}

// kindAt returns the kind of a cut before the line that begins at a position.
func (c *chunker) kindAt(at, line int) int8 {
	if kind, ok := c.outer[line]; ok {
		return kind
	}
	next := c.src[at:]
	if !c.code {
		if depth := headingDepth(next, c.org); depth == 1 {
			return cutOuter
		} else if depth > 1 {
			return cutHeading
		}
	}
	if at >= 2 && (c.src[at-2] == '\n' || at >= 3 && c.src[at-2] == '\r' && c.src[at-3] == '\n') {
		return cutBlank
	}
	return cutLine
}

// headingDepth returns the depth of the heading of Org or Markdown that a text begins with,
// 0 for none.
func headingDepth(text []byte, isOrg bool) int {
	mark := byte('#')
	if isOrg {
		mark = '*'
	}
	n := 0
	for n < len(text) && text[n] == mark {
		n++
	}
	if n == 0 || n >= len(text) || text[n] != ' ' || !isOrg && n > 6 {
		return 0
	}
	return n
}

// sentenceEnd returns the end of the last sentence in a piece of a line, else of its last
// word, else of its last rune. It is above 0.
func sentenceEnd(text []byte) int {
	for i := len(text) - 1; i > len(text)/2; i-- {
		if text[i] == ' ' && bytes.IndexByte([]byte(".!?"), text[i-1]) >= 0 {
			return i + 1
		}
	}
	if i := bytes.LastIndexByte(text[len(text)/2:], ' '); i >= 0 {
		return len(text)/2 + i + 1
	}
	end := len(text)
	for back := 1; back < utf8.UTFMax && back < end; back++ {
		if b := text[end-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[end-back:]) {
				return end - back
			}
			break
		}
	}
	return end
}
