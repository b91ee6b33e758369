// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package linediff

import (
	"fmt"
	"strings"
)

// Side is one of the two texts of a difference, for people: what it is called, and
// the number of its first line in the file it stands in.
type Side struct {
	Name string
	Line int // from 1
}

// around is how many equal lines a hunk begins and ends with, at most.
const contextLines = 3

// Unified writes the difference of two texts in the unified format of diff and
// patch, "" for equal texts. Lines keep their line ends; where a last line has
// none, the format's own line says so.
func Unified(from, to Side, oldText, newText string) string {
	a, b := Split(oldText), Split(newText)
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

// group writes hunks that are near each other as one.
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

// span names lines as a hunk's head does: the first and how many, but for one; an
// empty span by the line before it.
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
