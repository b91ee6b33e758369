// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package embed turns texts into vectors: by hashing their words, from the file of a
// static model, or through a server that a person already runs.
//
// An [Embedder] has one [Model]; [Open] makes one from a [Config]. Each text has its own
// [Result]. [Cosine] compares two vectors. A [Reranker] is a server that scores how well
// documents answer a query, and a [Chat] is a model that answers a text with a text.
//
// The tokens of a static model come from its tokenizer.json, in the format of Hugging Face. Normalizers
// change a text, pre-tokenizers cut it into words, and WordPiece, byte pairs (BPE), Unigram or WordLevel
// cut each word into tokens.
//
// Invariants:
//
//   - A vector has norm 1, the dimension of its model and no NaN, or there is an error.
//   - Only vectors of one fingerprint are comparable. Everything that changes vectors,
//     such as a prefix or a rule for splitting, is part of the fingerprint.
//   - A text that cannot be embedded does not affect the others. A text that a server
//     refused as too long is not sent again unchanged.
//   - The built-in vectors and those of a file depend only on the text.
//   - No error contains the key of a server.
//   - An unimplemented part of a tokenizer is refused by name, never ignored: for example byte pairs with
//     marked pieces (continuing_subword_prefix, end_of_word_suffix), which no static model has. Unknown
//     words give no token, and no special tokens are added.
//   - No tokenizer and no text makes it panic; a text takes O(n log n). The map of the normalizer
//     Precompiled is not read: NFKC replaces it, as in Hugging Face's own tokenizers.js.
//
// Elsewhere: internal/vector stores and searches vectors, internal/recall decides what a cosine counts
// in a search, and package token counts the tokens of windows.
package embed
