// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"
	"strings"
)

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
