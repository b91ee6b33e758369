// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package embed turns texts into vectors: by hashing their words, from the file of a
// static model, or through a server that a person already runs.
//
// An [Embedder] is one [Model]; [Open] makes one from a [Config]. Each text has its own
// [Result]. [Cosine] compares two vectors. A [Reranker] is a server that says how well
// documents answer a query, and a [Chat] a model that answers a text with a text.
//
// The tokens of a static model are those of its tokenizer.json, in the form of Hugging Face: a text
// passes normalizers, then pre-tokenizers, which cut it into words, then WordPiece, byte pairs (BPE),
// Unigram or WordLevel, which cut each word into tokens.
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
//   - A part of a tokenizer that is not implemented is refused by its name, never left out: such as byte
//     pairs whose pieces are marked (continuing_subword_prefix, end_of_word_suffix), which no static
//     model has. Unknown words give no token, and no special tokens are added.
//   - No tokenizer and no text makes it panic; a text takes O(n log n). The map of the normalizer
//     Precompiled is not read: NFKC stands for it, as in Hugging Face's own tokenizers.js.
//
// Elsewhere: internal/vector keeps and searches vectors, internal/recall says what a cosine counts in
// a search, and package token counts the tokens of windows.
package embed
