// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"strings"

	"github.com/fovea-memory/fovea/window"
)

// dataNote stands before every fence.
const dataNote = window.FenceNote

// fenced puts remembered text between the shortest fence of backticks that does not
// occur in it, under a line that says what it is. Empty text gives "".
func fenced(text string) string {
	if text = strings.TrimRight(text, "\r\n"); text == "" {
		return ""
	}
	fence := fenceFor(text)
	return dataNote + "\n" + fence + "\n" + text + "\n" + fence + "\n"
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
