// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"fmt"
	"strings"
)

// markdownRenderer renders CommonMark: one heading for each part, and bodies in a fence
// that occurs in none of them.
type markdownRenderer struct{ fence string }

const (
	minFence        = 3
	maxFence        = 8 // bodies with longer runs are shown by title only
	maxHeadingLevel = 6
)

func (markdownRenderer) head(h heading) string {
	if h.policy != PolicyFoveal {
		return Notice
	}
	if h.noProjects {
		return fovealHead + fovealEmpty
	}
	return fovealHead
}

func (markdownRenderer) separator() string { return "" }
func (markdownRenderer) tail() string      { return "" }

func (markdownRenderer) remark(text string) string { return text + "\n" }

func (r markdownRenderer) piece(e *entry) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("#", min(e.stars, maxHeadingLevel)))
	if todo := keyword(e.item.Todo); todo != "" {
		b.WriteString(" " + escapeMarkdown(todo))
	}
	if p := priority(e.item.Priority); p != "" {
		b.WriteString(" \\[#" + p + "\\]")
	}
	b.WriteString(" " + escapeMarkdown(titleOf(e.item, e.level)))
	if tags := e.tags(); len(tags) > 0 {
		b.WriteString(" :" + escapeMarkdown(strings.Join(tags, ":")) + ":")
	}
	b.WriteString(" `" + strings.ReplaceAll(singleLine(e.item.ID), "`", "'") + "`\n")
	if e.similar {
		fmt.Fprintf(&b, "- SEMANTIC\\_SCORE: %.2f\n", e.score)
	}
	if e.level == Full {
		for _, line := range planning(e.item) {
			b.WriteString("- " + escapeMarkdown(line) + "\n")
		}
		for _, p := range properties(e.item) {
			b.WriteString("- " + escapeMarkdown(p[0]+": "+p[1]) + "\n")
		}
	}
	if body := e.body(); body != "" {
		b.WriteString(r.fence + "\n" + body + "\n" + r.fence + "\n")
	}
	return b.String()
}

// escapeMarkdown escapes text so that none of it is markup.
func escapeMarkdown(text string) string {
	if !strings.ContainsAny(text, markdownSpecials) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(markdownSpecials, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

const markdownSpecials = "\\`*_[]<>#&!|~"

// maxBacktickRun returns the length of the longest run of backticks.
func maxBacktickRun(text string) int {
	run := 0
	for {
		index := strings.IndexByte(text, '`')
		if index < 0 {
			return run
		}
		rest := strings.TrimLeft(text[index:], "`")
		run = max(run, len(text)-index-len(rest))
		text = rest
	}
}
