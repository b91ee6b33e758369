// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "fmt"

// Limits of what is parsed. Parsing takes some kilobytes for each node and up to a
// hundred bytes for each byte of text, so without a limit one file could exhaust the
// memory. Real files have some thousand headlines.
const (
	MaxHeadlines = 250_000  // of one document
	MaxParsed    = 64 << 20 // bytes of one document
)

// KeptWhole returns why an Org text is kept as one opaque node, and what to do about it;
// "" for a text that is parsed. It depends on the text alone, so that every machine
// decides alike. O(len(text)) without allocation; O(1) for a short text.
func (Format) KeptWhole(text string) string {
	const what = "; the file is kept whole, and its headlines are not read: split it into smaller files"
	switch {
	case len(text) > MaxParsed:
		return fmt.Sprintf("%d bytes, more than the %d that are parsed", len(text), MaxParsed) + what
	case HasMoreHeadlines(text, MaxHeadlines):
		return fmt.Sprintf("more than %d headlines", MaxHeadlines) + what
	}
	return ""
}
