// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package meaning keeps a vector of each node's text, and makes vectors of questions.
//
// A [Vectors] belongs to a memex and all its scopes. It connects to the embedder when it can,
// makes the vectors that are missing ([Vectors.Fill], or [Vectors.Run] in the background), and
// turns a question into what a search compares with them ([Vectors.Question]). A [Reranker]
// has a server put the best hits of a search in order, and [Summaries] has a model at a chat
// endpoint summarize the blocks of working memory that do not fit a window. [Models] are those of a memex.
//
// Invariants:
//
//   - Nothing waits for an embedder that was not told to: writing never does, and
//     Question not longer than its caller allows.
//   - What is missing is found by comparing the present nodes with the vectors there are.
//     There is no queue that a crash could lose.
//   - A reranker that is late or fails leaves the order of the hits as it is.
//   - Nobody waits for a summary: [Summaries.Of] returns at once, and a later window has it. It is
//     shorter than its text, names the model, the lines and the digest, and is kept in RAM alone.
//     A server on another computer sees only what a remote embedder may see.
//   - The vectors of a text go when no node has it any more, and all go with a purge.
//   - Encrypted text is never embedded. An embedder on another computer sees only nodes with
//     the property EMBED, inherited, unless Options.All is set.
//   - A model counts for more only after it has found at least 64 nodes by their titles or
//     first sentences, sent as questions.
//
// Elsewhere: package embed makes vectors, internal/vector keeps them and finds
// the nearest, and internal/recall says what a near node counts.
package meaning
