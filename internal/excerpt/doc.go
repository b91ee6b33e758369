// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package excerpt shortens a text to the lines that answer a question best.
//
// An [Excerpt] is a text split into passages: paragraphs, list items, sentences of long
// ones, table rows, and lines of blocks. A [Matcher] finds the terms of the question in
// them. Some of the passages are chosen, and [Excerpt.Text] returns those.
//
// [New] orders the passages by the question, [Summary] also by how much of the text each
// stands for, and [Lines] takes lines that the caller has ordered, such as an outline.
//
// [SharedWords] says which words of a question a text has.
//
// Invariants:
//
//   - Chosen passages stand in the order of the text, and nothing else but an ellipsis and
//     the lead is added.
//   - A passage matters by the terms that it has, rare ones in this text more, and by those
//     of the passages beside it. Equal passages keep the order of the text.
//   - Splitting takes time linear in the text, whatever it holds. No passage costs more
//     than about 60 tokens.
//
// Elsewhere: package internal/index finds terms; package window decides how much of a node is shown.
package excerpt
