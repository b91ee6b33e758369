// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/choose"
)

// markdownRenderer renders CommonMark: one heading for each part, and bodies as code, indented or fenced.
type markdownRenderer struct{}

const maxHeadingLevel = 6

func (markdownRenderer) Head(h Heading) string { return h.text("") }
func (markdownRenderer) Separator() string     { return "" }
func (markdownRenderer) Tail() string          { return "" }

func (markdownRenderer) Remark(text string) string { return text + "\n" }

func (markdownRenderer) Piece(e *Entry) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("#", min(e.Stars, maxHeadingLevel)))
	if todo := text.Keyword(e.Item.Todo); todo != "" {
		b.WriteString(" " + text.Markdown(todo))
	}
	if p := text.Priority(e.Item.Priority); p != "" {
		b.WriteString(" \\[#" + p + "\\]")
	}
	b.WriteString(" " + text.Markdown(e.label()))
	if tags := e.tags(); len(tags) > 0 {
		b.WriteString(" :" + text.Markdown(strings.Join(tags, ":")) + ":")
	}
	if !e.Compact {
		b.WriteString(" `" + strings.ReplaceAll(text.Line(e.Item.ID), "`", "'") + "`")
	}
	b.WriteByte('\n')
	facts := e.markdownFacts()
	for _, line := range facts {
		b.WriteString(text.Markdown(line) + "\n")
	}
	text.WriteCode(&b, text.Lines(e.body()), len(facts) > 0)
	return b.String()
}

// markdownFacts returns the lines of the paragraph below a heading. Each begins with a letter, a colon or
// a parenthesis, so that none starts a block of another kind.
func (e *Entry) markdownFacts() (lines []string) {
	if e.Similar {
		lines = append(lines, fmt.Sprintf("SEMANTIC_SCORE: %.2f", e.Score))
	}
	if e.Level == choose.Full {
		lines = append(lines, planning(e.Item)...)
	}
	if len(e.Facts) > 0 {
		lines = append(lines, "("+strings.Join(e.Facts, ", ")+")")
	}
	switch {
	case e.Level < choose.Full:
	case !e.Compact:
		for _, p := range properties(e.Item) {
			lines = append(lines, ":"+p[0]+": "+p[1])
		}
	default:
		if line := shortProperties(e.Item); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
