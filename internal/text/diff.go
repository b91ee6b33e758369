// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Hunk replaces the lines Start to End of the old text with the lines NewStart to
// NewEnd of the new one. Lines count from 0, and the ends are exclusive.
type Hunk struct{ Start, End, NewStart, NewEnd int }

// SplitLines returns the lines of a text, each with its newline; only the last may have
// none. An empty text has no lines.
func SplitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// Diff returns the hunks that turn a into b, in order; nil for equal lists. At least
// one equal line separates two hunks. As in a patience diff, lines that are unique on
// both sides are matched first, as many as keep their order; the stretches between them
// are compared by their longest common subsequence.
func Diff(a, b []string) []Hunk {
	d := differ{a: a, b: b}
	d.compare(Hunk{0, len(a), 0, len(b)}, maxAnchorDepth)
	return d.hunks
}

// maxAnchorDepth is the maximum recursion depth of the search for unique lines.
const maxAnchorDepth = 8

type differ struct {
	a, b  []string
	hunks []Hunk
}

// compare appends the hunks of one stretch.
func (d *differ) compare(h Hunk, depth int) {
	for h.Start < h.End && h.NewStart < h.NewEnd && d.a[h.Start] == d.b[h.NewStart] {
		h.Start, h.NewStart = h.Start+1, h.NewStart+1
	}
	for h.Start < h.End && h.NewStart < h.NewEnd && d.a[h.End-1] == d.b[h.NewEnd-1] {
		h.End, h.NewEnd = h.End-1, h.NewEnd-1
	}
	if h.Start == h.End || h.NewStart == h.NewEnd {
		d.appendHunk(h)
		return
	}
	var lines, newLines, anchors []int
	if depth > 0 {
		lines, newLines = uniqueLines(d.a[h.Start:h.End], d.b[h.NewStart:h.NewEnd])
		anchors = Increasing(newLines)
	}
	if len(anchors) == 0 {
		for _, c := range lcs.DiffLines(d.a[h.Start:h.End], d.b[h.NewStart:h.NewEnd]) {
			d.appendHunk(Hunk{h.Start + c.Start, h.Start + c.End, h.NewStart + c.ReplStart, h.NewStart + c.ReplEnd})
		}
		return
	}
	pos, newPos := h.Start, h.NewStart
	for _, anchor := range anchors {
		line, newLine := h.Start+lines[anchor], h.NewStart+newLines[anchor]
		d.compare(Hunk{pos, line, newPos, newLine}, depth-1)
		pos, newPos = line+1, newLine+1
	}
	d.compare(Hunk{pos, h.End, newPos, h.NewEnd}, depth-1)
}

// appendHunk appends a hunk, merging it with the previous one if they are adjacent.
func (d *differ) appendHunk(h Hunk) {
	if h.Start == h.End && h.NewStart == h.NewEnd {
		return
	}
	if n := len(d.hunks); n > 0 && d.hunks[n-1].End == h.Start && d.hunks[n-1].NewEnd == h.NewStart {
		d.hunks[n-1].End, d.hunks[n-1].NewEnd = h.End, h.NewEnd
		return
	}
	d.hunks = append(d.hunks, h)
}

// uniqueLines returns the indexes in a and in b of the lines that occur exactly once in each, in
// the order of a.
func uniqueLines(a, b []string) (of, in []int) {
	const duplicate = -1
	index := func(lines []string) map[string]int {
		indexes := make(map[string]int, len(lines))
		for i, line := range lines {
			if _, seen := indexes[line]; seen {
				i = duplicate
			}
			indexes[line] = i
		}
		return indexes
	}
	inA, inB := index(a), index(b)
	for i, line := range a {
		if j, ok := inB[line]; ok && j != duplicate && inA[line] == i {
			of, in = append(of, i), append(in, j)
		}
	}
	return of, in
}

// Increasing returns the indexes of a longest increasing subsequence of distinct numbers. It uses
// patience sorting.
func Increasing(numbers []int) (indexes []int) {
	var tops []int // index of the number on top of each pile
	previous := make([]int, len(numbers))
	for i, number := range numbers {
		n := sort.Search(len(tops), func(k int) bool { return numbers[tops[k]] > number })
		if previous[i] = -1; n > 0 {
			previous[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	for i := tops[len(tops)-1]; i >= 0; i = previous[i] {
		indexes = append(indexes, i)
	}
	slices.Reverse(indexes)
	return indexes
}

// Side labels one of the two texts in a unified diff: its name, and the line number of
// its first line in the file that contains it.
type Side struct {
	Name string
	Line int // from 1
}

// contextLines is the maximum number of equal lines before and after a hunk.
const contextLines = 3

// Unified returns the difference of two texts in the unified format of diff and patch,
// "" for equal texts. Line endings are preserved; a missing final newline is marked as
// the format prescribes.
func Unified(from, to Side, oldText, newText string) string {
	a, b := SplitLines(oldText), SplitLines(newText)
	hunks := Diff(a, b)
	if len(hunks) == 0 {
		return ""
	}
	w := writer{a: a, b: b}
	fmt.Fprintf(&w.out, "--- %s\n+++ %s\n", from.Name, to.Name)
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].Start-hunks[n-1].End <= 2*contextLines {
			n++
		}
		w.writeHunks(hunks[:n], from.Line, to.Line)
		hunks = hunks[n:]
	}
	return w.out.String()
}

type writer struct {
	a, b []string
	out  strings.Builder
}

// writeHunks writes nearby hunks as one hunk of the format.
func (w *writer) writeHunks(hunks []Hunk, fromLine, toLine int) {
	first, last := hunks[0], hunks[len(hunks)-1]
	before, after := min(contextLines, first.Start), min(contextLines, len(w.a)-last.End)
	start, end := first.Start-before, last.End+after
	newStart, newEnd := first.NewStart-before, last.NewEnd+after
	fmt.Fprintf(&w.out, "@@ -%s +%s @@\n", lineRange(start, end, fromLine), lineRange(newStart, newEnd, toLine))
	pos := start
	for _, h := range hunks {
		w.writeLines(" ", w.a[pos:h.Start])
		w.writeLines("-", w.a[h.Start:h.End])
		w.writeLines("+", w.b[h.NewStart:h.NewEnd])
		pos = h.End
	}
	w.writeLines(" ", w.a[pos:end])
}

// lineRange formats a range for a hunk header: the first line and the count. The count
// is omitted if it is 1, and an empty range is given by the line before it.
func lineRange(start, end, line int) string {
	switch n := end - start; n {
	case 0:
		return fmt.Sprintf("%d,0", start+line-1)
	case 1:
		return fmt.Sprint(start + line)
	default:
		return fmt.Sprintf("%d,%d", start+line, n)
	}
}

func (w *writer) writeLines(mark string, lines []string) {
	for _, line := range lines {
		w.out.WriteString(mark + line)
		if !strings.HasSuffix(line, "\n") {
			w.out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
