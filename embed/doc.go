// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package embed turns texts into vectors: by hashing their words, from the file of a
// static model, or through a server that a person already runs.
//
// An [Embedder] is one [Model]; [Open] makes one from a [Config]. Each text has its own
// [Result]. [Cosine] compares two vectors. A [Reranker] is a server that says how well
// documents answer a query, and a [Chat] a model that answers a text with a text.
//
// Invariants:
//
//   - A vector has norm 1, the dimension of its model and no NaN, or there is an error.
//   - Vectors of one fingerprint are comparable, and those of two are not. What changes
//     vectors, such as a prefix or a rule for splitting, is part of the fingerprint.
//   - A text that cannot be embedded fails alone. No text is sent a second time
//     unchanged after a server refused it as too long.
//   - The built-in vectors and those of a file depend on the text alone.
//   - No error contains the key of a server.
//
// Elsewhere: internal/subword splits texts into the tokens of a static model, internal/vector keeps
// and searches vectors, and internal/recall says what a cosine counts in a search.
package embed
