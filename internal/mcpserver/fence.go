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
func whole(remembered string) string {
	if remembered = strings.TrimRight(remembered, "\r\n"); remembered == "" {
		return ""
	}
	fence := text.Fence(remembered)
	return dataNote + "\n" + fence + "\n" + remembered + "\n" + fence + "\n"
}

// legible replaces each run of bytes that are not UTF-8 with one replacement character; JSON
// would replace each byte.
func legible(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
