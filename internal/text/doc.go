// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package text compares, merges, quotes and shortens texts, and matches paths with patterns.
//
// [Diff] returns the [Hunk]s that turn one list of lines into another, [Unified] formats them for
// people, and [Merge] merges three versions into [Chunk]s. [Line] and [Body] prepare
// remembered text for output; [OrgTitle], [OrgText], [Markdown] and [WriteCode] escape its markup. An
// [Excerpt] is a text split into passages, from which it chooses those that answer a question best.
// [ParsePatterns] parses a file of [Patterns] that match paths as in gitignore(5), such as
// .foveaignore.
//
// Invariants:
//   - A line includes its newline: the concatenation of the lines is the text. The lines between
//     hunks are equal on both sides. Diff takes O(n log n), except for stretches without a line
//     that is unique on both sides, where it searches up to fifty edits and reports the rest as one
//     hunk.
//   - No quoted text begins a line of Org, or is a heading, a keyword, a tag, or an object that
//     acts; no quoted text in Markdown is markup outside code. Line and Body return valid UTF-8.
//   - Chosen passages are in the order of the text; only an ellipsis and the lead are added. Splitting
//     takes time linear in the text; no passage costs more than about 60 tokens.
//   - Patterns match as in Git, byte by byte, except for the two forms in which Git deviates from its
//     own manual; the decision record on gitignore lists them. Matching a pattern takes at most
//     O(pattern x path), so no pattern can make it hang.
//
// Elsewhere: changes of nodes and their conflicts (package node); the files with patterns
// (internal/corpus); terms (internal/index); what agents write into files (internal/inert).
package text
