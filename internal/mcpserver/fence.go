// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/window"
)

// dataNote stands before every fence.
const dataNote = window.FenceNote

// maxText is how many bytes of remembered text an answer has, unless a budget was named
// for it. A client cuts what is longer, and its model never learns that there was more.
const maxText = 128 << 10

// fenced puts remembered text between the shortest fence of backticks that does not
// occur in it, under a line that says what it is; of a long one the beginning, and how
// much that is. Empty text gives "".
func fenced(text string) string {
	text = legible(text)
	shown := beginningOf(text)
	out := whole(shown)
	if len(shown) < len(text) {
		out += fmt.Sprintf("Cut after %d of %d bytes.\n", len(shown), len(text))
	}
	return out
}

// whole fences a text of any length.
func whole(text string) string {
	if text = strings.TrimRight(text, "\r\n"); text == "" {
		return ""
	}
	fence := fenceFor(text)
	return dataNote + "\n" + fence + "\n" + text + "\n" + fence + "\n"
}

// legible puts one replacement character for each run of bytes that is no UTF-8: JSON
// would put one for each byte.
func legible(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// beginningOf returns of a text that is too long its first lines, or of one long line
// its first characters. The text is legible.
func beginningOf(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if line := strings.LastIndexByte(text[:end], '\n') + 1; line > maxText/2 {
		end = line
	}
	return text[:end]
}

// fenceFor returns the shortest run of at least three backticks that does not occur
// in text.
func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}
