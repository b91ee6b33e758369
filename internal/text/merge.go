// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import "strings"

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
	trim := omitsFinalNewline(base, a, b)
	base, a, b = withFinalNewline(base), withFinalNewline(a), withFinalNewline(b)
	m := merger{base: SplitLines(base)}
	m.a, m.b = editsOf(m.base, SplitLines(a)), editsOf(m.base, SplitLines(b))
	for len(m.a)+len(m.b) > 0 {
		m.mergeNext()
	}
	m.copyUnchanged(len(m.base))
	if trim {
		m.trimFinalNewline()
	}
	return m.chunks
}

// edit replaces the lines start to end of base.
type edit struct {
	start, end int
	lines      []string
}

func editsOf(base, newLines []string) []edit {
	var out []edit
	for _, h := range Diff(base, newLines) {
		out = append(out, edit{h.Start, h.End, newLines[h.NewStart:h.NewEnd]})
	}
	return out
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

// merger walks through the edits of both sides, which are sorted by position.
type merger struct {
	base   []string
	pos    int // the lines before it are merged
	a, b   []edit
	chunks []Chunk
}

// region is a run of lines of base that edits replace.
type region struct{ start, end int }

// overlaps reports whether r and e touch the same lines: they share lines, one is an
// insertion inside the other, or both are insertions at the same position. Adjacent
// regions do not overlap.
func (r region) overlaps(e region) bool {
	return r == e || max(r.start, e.start) < min(r.end, e.end) || r.splits(e) || e.splits(r)
}

// splits reports whether r is an insertion between two lines of e.
func (r region) splits(e region) bool {
	return r.start == r.end && e.start < r.start && r.start < e.end
}

// mergeNext merges the first remaining edit with all edits of both sides that overlap
// it.
func (m *merger) mergeNext() {
	first := m.a
	if len(m.a) == 0 || len(m.b) > 0 && m.b[0].before(m.a[0]) {
		first = m.b
	}
	r := region{first[0].start, first[0].end}
	var fromA, fromB []edit
	for grown := true; grown; {
		grown = r.absorb(&m.a, &fromA) || r.absorb(&m.b, &fromB)
	}
	m.copyUnchanged(r.start)
	base := strings.Join(m.base[r.start:r.end], "")
	a, b := m.apply(r, fromA), m.apply(r, fromB)
	m.pos = r.end
	switch {
	case len(fromB) == 0 || a == b:
		m.appendChunk(Chunk{Base: base, A: a, B: a})
	case len(fromA) == 0:
		m.appendChunk(Chunk{Base: base, A: b, B: b})
	default:
		m.appendChunk(Chunk{Base: base, A: a, B: b, Conflict: true})
	}
}

// before orders edits by position; an insertion precedes a change of the line after it.
func (e edit) before(o edit) bool { return e.start < o.start || e.start == o.start && e.end < o.end }

// absorb moves the next edit of a side into the region if it overlaps, and reports
// whether it did.
func (r *region) absorb(from, into *[]edit) bool {
	if len(*from) == 0 {
		return false
	}
	e := (*from)[0]
	if !r.overlaps(region{e.start, e.end}) {
		return false
	}
	*from, *into = (*from)[1:], append(*into, e)
	r.start, r.end = min(r.start, e.start), max(r.end, e.end)
	return true
}

// apply returns the lines of a region with edits applied.
func (m *merger) apply(r region, edits []edit) string {
	var b strings.Builder
	pos := r.start
	write := func(lines []string) {
		for _, line := range lines {
			b.WriteString(line)
		}
	}
	for _, e := range edits {
		write(m.base[pos:e.start])
		write(e.lines)
		pos = e.end
	}
	write(m.base[pos:r.end])
	return b.String()
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
