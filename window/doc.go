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
//     and any that a degraded window reports as omitted.
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
//
// # Where a change goes
//
//   - How text is ranked: a Ranker in a file of its own, as internal/recall/people.go, in the list of recall.Rankers
//     (internal/recall/rank.go). Deadlines and other dates become marks in marksOf of internal/recall/marks.go; how they count is
//     internal/recall/dates.go. Then internal/recall/rank_test.go, doc/score.md and decision 0122.
//   - What a window contains, its levels, its text: window/choose, window/plan.go, window/pin.go, window/first.go, window/foveal.go,
//     window/session.go; a renderer for each output in window/render; window/facts.go says what stands below a heading. Full stays the
//     last level; a level with an estimate of 0 is never chosen. Then window/testdata/windows, the help in internal/face/find.go,
//     decisions 0119, 0120 and 0295.
//   - How a block that does not fit is compressed: which blocks and how much room in window/compress.go; lines of code in
//     internal/outline/listing.go, of text in internal/text/summary.go; what a model writes in internal/meaning/summary.go. Then
//     window/compress_test.go and decision 0163.
//   - A type of blocks of working memory: Types, Title, Content and Entry in working/block.go, defaults and checkFields in
//     working/complete.go, the help in internal/face/agents.go; how blocks are kept and files read: internal/minds; who sees them:
//     overlay.go; what they count in a window: window/working.go. Then working/README.md.
//   - Which files belong to a memex, scanning, locks of editors: internal/corpus; which paths a state may have: internal/corpus/judge.go,
//     and what becomes of the others: internal/travel/judge.go. Then internal/corpus/judge_test.go.
//   - Which files are protected: the policy and the verdicts in internal/guard; the reaction in internal/ingest. Then
//     doc/configuration.md.
//   - How skills are read and ordered: internal/corpus; the annex outside the memex: internal/corpus/annex.go.
package window
