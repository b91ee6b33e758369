// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/node"
)

// excerptBytes is the number of bytes of a text that an excerpt is made from, unless the
// excerpt may have more characters.
const excerptBytes = 64 << 10

// Excerpt returns the beginning of a node's [TextLines] on one line of at most that many
// characters, cut after a word and followed by … if there is more text.
func Excerpt(n *node.Node, characters int) string {
	var b strings.Builder
	left := characters + 1 // the first word has no blank before it
	for line := range TextLines(n, max(excerptBytes, characters)) {
		for word := range strings.FieldsSeq(legible(line.Text)) {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
			if left -= utf8.RuneCountInString(word) + 1; left < 0 {
				return strings.TrimSpace(text.First(b.String(), characters)) + "…"
			}
		}
	}
	return b.String()
}

// Clip returns at most that many characters of a line of words, including the word at an
// offset, with … on each side where text was cut.
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
