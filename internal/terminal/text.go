// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"regexp"
	"strings"

	"github.com/rivo/uniseg"
)

// spaced matches a word with its leading space.
var spaced = regexp.MustCompile(`\s*\S+`)

// Wrap breaks a text between words to fit wide cells. Further lines are indented; the first
// already is.
func Wrap(text string, indent, wide int) string {
	var b strings.Builder
	used := indent
	for _, next := range spaced.FindAllString(strings.TrimSpace(text), -1) {
		if used > indent && used+uniseg.StringWidth(next) > wide {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			next, used = strings.TrimSpace(next), indent
		}
		b.WriteString(next)
		used += uniseg.StringWidth(next)
	}
	return b.String()
}

// fold breaks each line wider than wide and indents its continuation by indent more.
func fold(text string, indent, wide int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if uniseg.StringWidth(line) > wide {
			before := len(line) - len(strings.TrimLeft(line, " "))
			lines[i] = line[:before] + Wrap(line, before+indent, wide)
		}
	}
	return strings.Join(lines, "\n")
}

// fit cuts or pads visible text to a width in terminal cells.
func fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if w := uniseg.StringWidth(s); w <= width {
		return s + strings.Repeat(" ", width-w)
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used+g.Width() > width-1 {
			break
		}
		b.WriteString(g.Str())
		used += g.Width()
	}
	return b.String() + "…" + strings.Repeat(" ", width-1-used)
}
