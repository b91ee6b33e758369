// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package linediff

import "strings"

// Chunk is a run of whole lines. Without a conflict A is the text, and B equals
// it; in a conflict A and B are what the sides made of Base.
type Chunk struct {
	Base, A, B string
	Conflict   bool
}

// Merge returns what a and b together make of base. Joining the A of all chunks
// gives base with the changes of both sides, A's where they are in conflict;
// likewise for B. Changes of neighbouring lines are no conflict. Exchanging a and b
// exchanges A and B of the chunks and nothing else. A text without a final line end
// is taken to have one, unless the sides leave it so. Complexity is that of two
// differences.
func Merge(base, a, b string) []Chunk {
	trim := omitsFinalNewline(base, a, b)
	base, a, b = withFinalNewline(base), withFinalNewline(a), withFinalNewline(b)
	m := merger{base: Split(base)}
	m.a, m.b = editsOf(m.base, Split(a)), editsOf(m.base, Split(b))
	for len(m.a)+len(m.b) > 0 {
		m.mergeNext()
	}
	m.copyUnchanged(len(m.base))
	if trim {
		m.trimFinalNewline()
	}
	return m.chunks
}

// edit puts lines in the place of the lines start to end of base.
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

// missing reports whether the result is to have no final line end, which is
// merged like anything else.
func omitsFinalNewline(base, a, b string) bool {
	baseOpen, aOpen, bOpen := base != withFinalNewline(base), a != withFinalNewline(a), b != withFinalNewline(b)
	if aOpen == bOpen {
		return aOpen
	}
	return !baseOpen // one of them changed it
}

// ended returns a text whose last line has its end.
func withFinalNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// merger walks through the edits of both sides, which are sorted by place.
type merger struct {
	base   []string
	pos    int // the lines before it are done
	a, b   []edit
	chunks []Chunk
}

// region is a run of lines of base that edits replace.
type region struct{ start, end int }

// overlaps reports whether an edit touches the same lines: an insertion those
// that it parts, and another one at the same place. It does not where one ends
// at the place where the other begins.
func (r region) overlaps(e region) bool {
	return r == e || max(r.start, e.start) < min(r.end, e.end) || r.splits(e) || e.splits(r)
}

// parts reports whether r is an insertion between two lines of e.
func (r region) splits(e region) bool {
	return r.start == r.end && e.start < r.start && r.start < e.end
}

// next takes the first edit, and those of both sides that overlap with it.
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

// before reports whether an edit comes first: an insertion before a change of
// the line behind it.
func (e edit) before(o edit) bool { return e.start < o.start || e.start == o.start && e.end < o.end }

// absorb takes the next edit of a side into the region if it overlaps.
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

// replaced applies edits to the lines of a region.
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

// same adds the lines up to end, which no side changed.
func (m *merger) copyUnchanged(end int) {
	text := strings.Join(m.base[m.pos:end], "")
	m.appendChunk(Chunk{Base: text, A: text, B: text})
}

// cutLineEnd takes the line end off the last chunk that has text: those behind it
// are lines that were deleted. A conflict may end by it.
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
