// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package window selects what a language model sees and renders it within a token
// budget.
//
// [Build] turns a [Request] (focus, question, budget, policy, format) into a [Window]:
// the text, and each [Part] of it with its level, tokens, score and reason. It reads
// nodes through a [Source]. [NewOutline] precomputes once per state what all windows
// over that state share; [Outline.WithChanges] updates it incrementally.
//
// Invariants:
//
//   - The text never exceeds the budget, counted as a whole by the request's counter.
//     If the required parts do not fit, Build returns a [BudgetError] with the smallest
//     budget that works.
//   - Every node is shown below the headings of its ancestors, except hidden ancestors
//     and those that a degraded window reports as omitted.
//   - The same request over the same view yields the same bytes, whatever an outline
//     has cached, such as token prices.
//   - The best node for a question is whole, or has its best lines, on a third of the
//     budget.
//   - Critical blocks of working memory are in every window.
//   - A file, knowledge or history block that does not fit is compressed, at level snippet;
//     one that fits is not.
//   - A degraded window has the name of each critical block, and the best line of as many as
//     have room: a larger budget never has text of fewer.
//   - While others want the room, no agent gets more than 30 % of the budget, except for
//     its own node as focus, and except for the agent that asks and those that are trusted.
//   - A window of a [Session] repeats nothing that the session has seen and that is
//     unchanged.
//
// Elsewhere: scoring how similar nodes are to a request ([Similarity], implemented by
// the caller), writing parts as text (package render), choosing lines of a text or of code
// (packages internal/text and internal/outline), and counting tokens (package token).
package window
