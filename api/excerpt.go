// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/node"
)

// withText adds to a node of a list what was asked for of its own text.
func (n Node) withText(of *node.Node, content bool, characters int) Node {
	if !content && characters == 0 {
		return n
	}
	text := legible(of)
	n.Excerpt = excerpt(text, characters)
	if content {
		n.Content = text
	}
	return n
}

// excerpt is the beginning of a note's own text, without headline, planning, settings
// and drawers, on one line of at most so many characters. No more of the text is read
// than that takes, to the end of a word.
func excerpt(content string, characters int) string {
	if characters == 0 {
		return ""
	}
	if title, rest, _ := strings.Cut(content, "\n"); strings.HasPrefix(strings.TrimLeft(title, "*"), " ") && title[0] == '*' {
		content = rest
	}
	var text strings.Builder
	text.Grow(min(characters, len(content)))
	left, drawer := characters, false
	for line := range strings.Lines(content) {
		switch line = strings.TrimSpace(line); {
		case strings.EqualFold(line, ":END:"):
			drawer = false
		case strings.EqualFold(line, ":PROPERTIES:"), strings.EqualFold(line, ":LOGBOOK:"):
			drawer = true
		case !drawer && !apart(line):
			left = appendWords(&text, line, left)
		}
		if left < 0 {
			return strings.TrimSpace(firstRunes(text.String(), characters)) + "…"
		}
	}
	return text.String()
}

// appendWords adds the words of a line until more than left characters are added, and
// returns how many are left, below 0 if it was more.
func appendWords(text *strings.Builder, line string, left int) int {
	for word := range strings.FieldsSeq(line) {
		if text.Len() > 0 {
			text.WriteByte(' ')
			left--
		}
		text.WriteString(word)
		if left -= utf8.RuneCountInString(word); left < 0 {
			break
		}
	}
	return left
}

// firstRunes returns the first n characters of a text that has more.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// apart reports a line that is a setting or planning, not text.
func apart(line string) bool {
	return slices.ContainsFunc([]string{"#+", "SCHEDULED:", "DEADLINE:", "CLOSED:"}, func(word string) bool { return strings.HasPrefix(line, word) })
}
