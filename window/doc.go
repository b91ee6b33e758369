// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package window chooses what a language model sees and writes it down within a token budget.
//
// The types to know are [Request] (what to look at, for what, at what price),
// [Window] (the text, and each [Part] of it with level, tokens, score and
// reason), and [Source], the view it reads through. [Build] makes one from the others;
// [NewOutline] does once per state what all windows over it share, and [Outline.WithChanges] takes it
// over to the next state.
//
// Invariants:
//
//   - The text never costs more than the budget, as the counter of the request
//     counts the whole text; what cannot fit is a [BudgetError] that names the
//     smallest budget that works.
//   - A shown node stands below the headings of its ancestors, hidden ones and
//     those that a degraded window says it left out excepted.
//   - The same request over the same view gives the same bytes, whatever an outline has
//     come to know, such as the prices of a document's nodes.
//   - Remembered text is data: the text has one heading for each part and no
//     more, whatever titles and bodies hold.
//   - Each part is a piece of text that ends its line and begins with a sign that
//     no token spans a line end to reach, so that the tokens of pieces add up.
//   - No untrusted agent has more than 30 % of the budget, its named focus aside.
//
// Not here: which nodes resemble a request, which is [Similarity] and belongs to
// package recall; how tokens are counted, which is package token.
package window
