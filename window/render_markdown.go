// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/escape"
)

// markdownRenderer renders CommonMark: one heading for each part, and bodies that are code:
// indented, or in a fence.
type markdownRenderer struct{}

const maxHeadingLevel = 6

func (markdownRenderer) head(h heading) string {
	if h.policy != PolicyFoveal {
		return h.notice()
	}
	if h.noProjects {
		return fovealHead + fovealEmpty
	}
	return fovealHead
}

func (markdownRenderer) separator() string { return "" }
func (markdownRenderer) tail() string      { return "" }

func (markdownRenderer) remark(text string) string { return text + "\n" }

func (markdownRenderer) piece(e *entry) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("#", min(e.stars, maxHeadingLevel)))
	if todo := escape.Keyword(e.item.Todo); todo != "" {
		b.WriteString(" " + escape.Markdown(todo))
	}
	if p := escape.Priority(e.item.Priority); p != "" {
		b.WriteString(" \\[#" + p + "\\]")
	}
	b.WriteString(" " + escape.Markdown(e.label()))
	if tags := e.tags(); len(tags) > 0 {
		b.WriteString(" :" + escape.Markdown(strings.Join(tags, ":")) + ":")
	}
	if !e.compact {
		b.WriteString(" `" + strings.ReplaceAll(escape.Line(e.item.ID), "`", "'") + "`")
	}
	b.WriteByte('\n')
	facts := e.markdownFacts()
	for _, line := range facts {
		b.WriteString(escape.Markdown(line) + "\n")
	}
	escape.WriteCode(&b, escape.Lines(e.body()), len(facts) > 0)
	return b.String()
}

// markdownFacts returns the lines of the paragraph below a heading. Each begins with a
// letter, a colon or a parenthesis, so that it is no block of another kind.
func (e *entry) markdownFacts() (lines []string) {
	if e.similar {
		lines = append(lines, fmt.Sprintf("SEMANTIC_SCORE: %.2f", e.score))
	}
	if e.level == Full {
		lines = append(lines, planning(e.item)...)
	}
	if len(e.facts) > 0 {
		lines = append(lines, "("+strings.Join(e.facts, ", ")+")")
	}
	switch {
	case e.level < Full:
	case !e.compact:
		for _, p := range properties(e.item) {
			lines = append(lines, ":"+p[0]+": "+p[1])
		}
	default:
		if line := shortProperties(e.item); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
