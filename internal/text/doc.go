// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package text compares, merges, quotes and shortens texts, and matches paths with patterns.
//
// [Diff] returns the [Hunk]s that turn one list of lines into another, [Unified] formats them for
// people, and [Merge] merges three versions into [Chunk]s. [Line] and [Body] make remembered text
// fit to be shown; [OrgTitle], [OrgText], [Markdown] and [WriteCode] keep it from being markup. An
// [Excerpt] is a text split into passages, of which those are chosen that answer a question best.
// [ParsePatterns] parses a file of [Patterns] written as in gitignore(5), such as .foveaignore, which
// match paths.
//
// Invariants:
//   - A line includes its newline: the concatenation of the lines is the text. The lines between
//     hunks are equal on both sides. Diff takes O(n log n), except for stretches without a line
//     that is unique on both sides, where it searches up to fifty edits and reports the rest as one
//     hunk.
//   - No quoted text begins a line of Org, or is a heading, a keyword, a tag, or an object that
//     acts; no text of Markdown is markup outside code. Line and Body return valid UTF-8.
//   - Chosen passages stand in the order of the text, and nothing else but an ellipsis and the lead
//     is added. Splitting takes time linear in the text; no passage costs more than about 60 tokens.
//   - Patterns match as Git does, byte by byte, except for the two forms in which Git departs from its
//     own manual; the decision record on gitignore lists them. Matching a pattern takes at most
//     O(pattern x path), so no line can make it hang.
//
// Elsewhere: what a change means for a node, and how conflicts are resolved, is package node; which
// files hold patterns is internal/corpus; terms are found by internal/index; what agents write into
// files is internal/inert.
package text
