// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package escape

import "strings"

// Markdown escapes text so that none of it is markup.
func Markdown(text string) string {
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

// WriteCode writes lines as code: in a fence where it is shorter and no line holds one,
// else indented. After a paragraph an indented block needs a blank line.
func WriteCode(b *strings.Builder, lines []string, afterParagraph bool) {
	const minFenced, fence = 4, "```"
	text := strings.Join(lines, "\n")
	switch {
	case len(lines) == 0:
	case len(lines) >= minFenced && !strings.Contains(text, fence):
		b.WriteString(fence + "\n" + text + "\n" + fence + "\n")
	default:
		if afterParagraph {
			b.WriteByte('\n')
		}
		for _, line := range lines {
			if line != "" {
				b.WriteString("    " + line)
			}
			b.WriteByte('\n')
		}
	}
}
