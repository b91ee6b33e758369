// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/render"
)

// dataNote precedes every fence.
const dataNote = render.FenceNote

// maxText is the maximum number of bytes of remembered text in an answer without a budget. A
// client cuts a longer one, and its model never learns that there was more.
const maxText = 128 << 10

// fenced puts remembered text between the shortest fence of backticks that does not occur in
// it, under a line that calls it data. It cuts a long text and says where. Empty text gives
// "".
func fenced(remembered string) string {
	remembered = legible(remembered)
	shown := text.Page(remembered, maxText)
	out := whole(shown)
	if len(shown) < len(remembered) {
		out += fmt.Sprintf("Cut after %d of %d bytes.\n", len(shown), len(remembered))
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

// legible replaces each run of bytes that are not UTF-8 with one replacement character; JSON
// would replace each byte.
func legible(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

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
