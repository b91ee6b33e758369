// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"

	"github.com/fovea-memory/fovea/org"
)

// Limits of what is parsed. A node takes some kilobytes while its document is read, and
// what an Org text says up to a hundred bytes for each of its own: without a limit one
// file could take all memory. Real files have some thousand headlines.
const (
	MaxHeadlines = 250_000  // of one document
	MaxParsed    = 64 << 20 // bytes of one document
)

// KeptWhole returns why an Org text is kept whole, as one opaque node, and what to do
// about it; "" for a text that is parsed. It depends on the text alone, so that every
// machine decides alike. It needs no memory, and time in proportion to the text; hardly
// any for one that is too short to pass a limit.
func KeptWhole(text string) string {
	const what = "; the file is kept whole, and its headlines are not read: split it into smaller files"
	switch {
	case len(text) > MaxParsed:
		return fmt.Sprintf("%d bytes, more than the %d that are parsed", len(text), MaxParsed) + what
	case org.HasMoreHeadlines(text, MaxHeadlines):
		return fmt.Sprintf("more than %d headlines", MaxHeadlines) + what
	}
	return ""
}
