// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"cmp"
	"strings"
)

// Chunk is a run of whole lines. Without a conflict A and B are the same merged text;
// in a conflict they are the two sides' versions of Base.
type Chunk struct {
	Base, A, B string
	Conflict   bool
}

// Merge merges the changes of a and b to base. Concatenating the A of all chunks gives
// base with the changes of both sides, with a's version in conflicts; likewise for B.
// Changes of adjacent lines do not conflict. Merge is symmetric: exchanging a and b
// only exchanges A and B of the chunks. A missing final newline is added for the merge
// and removed afterwards if the result should have none. It takes the time of two
// Diffs.
func Merge(base, a, b string) []Chunk {
	m := merger{base: SplitLines(withFinalNewline(base))}
	m.a, m.b = m.versionOf(a), m.versionOf(b)
	for len(m.a.hunks)+len(m.b.hunks) > 0 {
		m.mergeNext()
	}
	m.copyUnchanged(len(m.base))
	if omitsFinalNewline(base, a, b) {
		m.trimFinalNewline()
	}
	return m.chunks
}

// omitsFinalNewline reports whether the result has no final newline, which is merged
// like any other change.
func omitsFinalNewline(base, a, b string) bool {
	baseOpen, aOpen, bOpen := base != withFinalNewline(base), a != withFinalNewline(a), b != withFinalNewline(b)
	if aOpen == bOpen {
		return aOpen
	}
	return !baseOpen // exactly one side changed it
}

// withFinalNewline appends a newline to a non-empty text that does not end with one.
func withFinalNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// merger walks through the hunks of both sides, which are sorted by position.
type merger struct {
	base   []string
	pos    int // number of lines that are merged
	a, b   version
	chunks []Chunk
}

// version is the text of one side.
type version struct {
	lines []string
	hunks []Hunk // from base to lines, those that are not merged yet
	ahead int    // number of lines by which it is longer than base before these hunks
}

func (m *merger) versionOf(text string) version {
	lines := SplitLines(withFinalNewline(text))
	return version{lines: lines, hunks: Diff(m.base, lines)}
}

// mergeNext merges the first remaining hunk with all hunks of both sides that overlap
// it. An insertion precedes a change of the line after it.
func (m *merger) mergeNext() {
	first := m.a.hunks
	if len(first) == 0 || len(m.b.hunks) > 0 && cmp.Or(cmp.Compare(m.b.hunks[0].Start, first[0].Start), cmp.Compare(m.b.hunks[0].End, first[0].End)) < 0 {
		first = m.b.hunks
	}
	start, end, aheadA, aheadB := first[0].Start, first[0].End, m.a.ahead, m.b.ahead
	for m.a.absorb(start, &end) || m.b.absorb(start, &end) {
	}
	m.copyUnchanged(start)
	m.pos = end
	c := Chunk{
		Base: strings.Join(m.base[start:end], ""),
		A:    strings.Join(m.a.lines[start+aheadA:end+m.a.ahead], ""), B: strings.Join(m.b.lines[start+aheadB:end+m.b.ahead], ""),
	}
	switch c.Base {
	case c.B:
		c.B = c.A
	case c.A:
		c.A = c.B
	default:
		c.Conflict = c.A != c.B
	}
	m.appendChunk(c)
}

// absorb adds the next hunk of a side to a region of base if they overlap: they share lines,
// one is an insertion inside the other, or both are insertions at the same position. Adjacent
// regions do not overlap. It reports whether it added the hunk.
func (v *version) absorb(start int, end *int) bool {
	if len(v.hunks) == 0 {
		return false
	}
	h := v.hunks[0]
	if (h.Start != start || h.End != *end) && (h.Start >= *end || start >= h.End) {
		return false
	}
	v.hunks, v.ahead = v.hunks[1:], v.ahead+h.NewEnd-h.NewStart-(h.End-h.Start)
	*end = max(*end, h.End)
	return true
}

// copyUnchanged appends the lines up to end, which neither side changed.
func (m *merger) copyUnchanged(end int) {
	text := strings.Join(m.base[m.pos:end], "")
	m.appendChunk(Chunk{Base: text, A: text, B: text})
}

// trimFinalNewline removes the newline from the last chunk with text; chunks after it
// are deletions. This can resolve a conflict.
func (m *merger) trimFinalNewline() {
	for i := len(m.chunks) - 1; i >= 0; i-- {
		c := &m.chunks[i]
		if c.A == "" && c.B == "" {
			continue
		}
		c.A, c.B = strings.TrimSuffix(c.A, "\n"), strings.TrimSuffix(c.B, "\n")
		c.Conflict = c.A != c.B
		return
	}
}

func (m *merger) appendChunk(c Chunk) {
	if c.Base != "" || c.A != "" || c.B != "" {
		m.chunks = append(m.chunks, c)
	}
}
