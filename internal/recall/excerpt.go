// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/node"
)

// excerptBytes is how many bytes of a text an excerpt is made of, unless it may have as
// many characters.
const excerptBytes = 64 << 10

// Excerpt returns the beginning of a node's [TextLines] on one line of at most that many
// characters, to the end of a word, with … at its end where more follows.
func Excerpt(n *node.Node, characters int) string {
	var b strings.Builder
	left := characters
	for line := range TextLines(n, max(excerptBytes, characters)) {
		if left = appendWords(&b, legible(line.Text), left); left < 0 {
			return strings.TrimSpace(text.First(b.String(), characters)) + "…"
		}
	}
	return b.String()
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

// Clip returns at most that many characters of a line of words, with the word at an offset
// among them, and … on each side where more follows.
func Clip(line string, at, characters int) string {
	const minClip = 8
	switch {
	case utf8.RuneCountInString(line) <= characters:
		return line
	case characters < minClip:
		at = 0
	}
	before := line[:at]
	if utf8.RuneCountInString(before)+utf8.RuneCountInString(text.First(line[at:], characters/2)) <= characters {
		at = 0
	}
	for lead := characters / 4; at > 0 && (lead > 0 || line[at-1] != ' '); lead-- {
		_, size := utf8.DecodeLastRuneInString(line[:at])
		at -= size
	}
	out := ""
	if at > 0 {
		out = "…"
		characters--
	}
	line = line[at:]
	if utf8.RuneCountInString(line) > characters {
		line = strings.TrimSpace(text.First(line, characters-1)) + "…"
	}
	return out + line
}

// legible returns a text with U+FFFD for invalid UTF-8.
func legible(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
