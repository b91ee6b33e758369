// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package meaning keeps a vector of each node's text, and makes vectors of questions.
//
// A [Vectors] belongs to a memex and all its scopes. It connects to the embedder when it can,
// makes the missing vectors ([Vectors.Fill], or [Vectors.Run] in the background), and makes the
// vector of a question ([Vectors.Question]). A [Reranker] asks a server to order the best hits
// of a search, and [Summaries] asks a model at a chat endpoint to summarize the blocks of
// working memory that do not fit a window. A memex has one of each in its [Models].
//
// Invariants:
//
//   - Writing never waits for an embedder, and Question waits no longer than its caller
//     allows.
//   - Missing vectors are found by comparing the present nodes with the stored vectors.
//     There is no queue that a crash could lose.
//   - A reranker that is late or fails does not change the order of the hits.
//   - Nothing waits for a summary: [Summaries.Of] returns at once, and a later window has it. It is
//     shorter than its text, names the model, the lines and the digest, and is kept only in RAM.
//     A server on another computer sees only what a remote embedder may see.
//   - The vector of a text is removed when no node has the text any more, and all are with a purge.
//   - Encrypted text is never embedded. An embedder on another computer sees only nodes with
//     the property EMBED, inherited, unless Options.All is set.
//   - A model counts for more only after it has found at least 64 nodes by their titles or
//     first sentences, sent as questions.
//
// Elsewhere: package embed makes vectors, internal/vector stores them and finds the
// nearest, and internal/recall decides what a near node counts.
package meaning
