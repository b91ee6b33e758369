// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Chunk is a piece of a file: its bytes from Start up to and excluding End, and its first and
// last line, counted from 1. A line that is cut belongs to several chunks.
type Chunk struct {
	Start, End         int
	FirstLine, EndLine int
}

// Org is the language of Org files for [Chunks]. It has no outline.
const Org = "Org"

// Kinds of cuts, the best last. A chunk ends at the best cut.
const (
	cutRune = iota
	cutSentence
	cutInside // the end of a line in a block, a drawer or a table, or directly below a heading
	cutLine
	cutBlank
	cutHeading // a heading, or a definition within another
	cutOuter   // an outermost definition or heading
)

// Chunks cuts a text into pieces of at most limit bytes, at least utf8.UTFMax, whose
// concatenation is the text: before definitions in source code and headings of Org and Markdown,
// else at blank lines, ends of lines, or ends of sentences. It never cuts within a valid rune.
// Blocks, drawers and tables stay whole if possible, and headings stay with the text below
// them. An empty text has no chunks. O(len(src)).
func Chunks(language string, src []byte, limit int) []Chunk {
	limit = max(limit, utf8.UTFMax)
	var chunks []Chunk
	c := chunker{src: src, limit: limit, org: language == Org}
	if len(src) > limit {
		c.cuts = make([]int8, bytes.Count(src, []byte("\n"))+2)
		if !c.findDefinitions(language) {
			c.findMarkup()
		}
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
	cuts  []int8 // by line, the kind of cut before it, 0 for an ordinary line
	org   bool
}

// findDefinitions records the lines on which definitions begin, and reports whether there are
// any. Comments and decorators directly above a definition belong to it.
func (c *chunker) findDefinitions(language string) bool {
	lines, before := bytes.Split(c.src, []byte("\n")), 0 // the line of the definition before
	for _, d := range Definitions(language, c.src) {
		if d.Line == before {
			continue
		}
		at := d.Line
		for at-1 > before && isAside(bytes.TrimSpace(lines[at-2])) {
			at--
		}
		before = d.Line
		if c.cuts[at] = cutHeading; d.Depth == 0 {
			c.cuts[at] = cutOuter
		}
	}
	return before > 0
}

// isAside reports whether a line, without blanks around it, is a comment, a decorator, or an
// attribute.
func isAside(line []byte) bool {
	starts := []string{"//", "#", "/*", "*", "@", ";", `"""`}
	return slices.ContainsFunc(starts, func(start string) bool { return bytes.HasPrefix(line, []byte(start)) })
}

// next returns the end of the chunk that begins at start, on the line with the given number: the
// last of the best cuts in its second half, or in the whole chunk if the second half has only
// ends of lines or worse.
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
	if best > c.limit/2 || best > 0 && kind > cutInside {
		return start + best
	}
	return start + sentenceEnd(rest)
}

// kindAt returns the kind of a cut before the line that begins at a position.
func (c *chunker) kindAt(at, line int) int8 {
	if kind := c.cuts[line]; kind > 0 {
		return kind
	}
	if at >= 2 && (c.src[at-2] == '\n' || at >= 3 && c.src[at-2] == '\r' && c.src[at-3] == '\n') {
		return cutBlank
	}
	return cutLine
}

// findMarkup records the headings of Org or Markdown, and the lines before which a cut would
// split a block, a drawer, a table or a heading from its text. An unclosed block does not count.
func (c *chunker) findMarkup() {
	n, begin, end := 0, 0, []byte(nil) // the line of a block that is open, and the text that ends it
	isBelow, isTable := false, false   // the previous line is a heading or a blank line below it; a table row
	for line := range bytes.Lines(c.src) {
		n++
		text, depth := bytes.TrimSpace(line), headingDepth(line, c.org)
		isRow := len(text) > 0 && text[0] == '|'
		if isBelow || isRow && isTable {
			c.cuts[n] = cutInside
		}
		if depth > 0 {
			if c.cuts[n] = cutHeading; depth == 1 {
				c.cuts[n] = cutOuter
			}
			if c.org { // a headline ends an open block
				begin = 0
			}
		}
		if begin == 0 {
			if end = c.closing(text); end != nil {
				begin = n
			}
		} else if bytes.EqualFold(text[:min(len(text), len(end))], end) {
			for ; begin < n; begin++ {
				c.cuts[begin+1] = cutInside
			}
			begin = 0
		}
		isBelow, isTable = depth > 0 || isBelow && len(text) == 0, isRow
	}
}

// closing returns the beginning of the line that ends the block, drawer or fence that a line
// begins, nil if the line begins none.
func (c *chunker) closing(text []byte) []byte {
	const block, drawer = "#+begin_", ":END:"
	n := len(text)
	switch {
	case c.org && n > len(block) && bytes.EqualFold(text[:len(block)], []byte(block)):
		name, _, _ := bytes.Cut(text[len(block):], []byte(" "))
		return append([]byte("#+end_"), name...)
	case c.org && n > 2 && text[0] == ':' && bytes.IndexByte(text[1:], ':') == n-2 && !bytes.EqualFold(text, []byte(drawer)):
		return []byte(drawer)
	case !c.org && (bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~"))):
		return text[:3]
	}
	return nil
}

// headingDepth returns the depth of the heading of Org or Markdown at the start of a text, 0
// for none.
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

// wideStops end sentences, and wideBreaks parts of them, in scripts without blanks.
const wideStops, wideBreaks = "。！？．", "、，；："

// sentenceEnd returns the end of the last sentence in a piece of a line, else of its last
// word or part of a sentence, else of its last rune. It is never 0.
func sentenceEnd(text []byte) int {
	word, half := 0, len(text)/2
	for i := len(text); i > half; {
		r, size := utf8.DecodeLastRune(text[:i])
		switch isBlank := r == ' '; {
		case isBlank && i > 1 && strings.IndexByte(".!?", text[i-2]) >= 0, strings.ContainsRune(wideStops, r):
			return i
		case word == 0 && (isBlank || strings.ContainsRune(wideBreaks, r)):
			word = i
		}
		i -= size
	}
	if word > 0 {
		return word
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
