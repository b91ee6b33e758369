// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package render writes the parts of a window, in Org, Markdown or JSON.
//
// A [Renderer] writes the head of a text, an [Entry] for each part, and the tail. An Entry
// is an [Item], the content of a node, at a [Level].
//
// Invariants:
//
//   - Remembered text is data: an entry has exactly one heading, whatever titles and bodies
//     contain, and JSON stays JSON.
//   - Each piece ends with a newline and starts with a character that no token merges with
//     it, so the token counts of pieces add up.
//   - The same entry gives the same bytes.
//
// Elsewhere: which parts a window has, and in which order (package window), how text is escaped
// (package internal/text).
package render
