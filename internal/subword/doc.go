// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package subword cuts texts into the tokens of a model, as a tokenizer.json of Hugging
// Face says.
//
// [Parse] reads such a file into a [Tokenizer]; [Tokenizer.Encode] returns the ids of a
// text. A text passes normalizers, then pre-tokenizers, which cut it into words, then
// WordPiece, byte pairs (BPE), Unigram or WordLevel, which cut each word into tokens.
//
// Invariants:
//
//   - A part that is not implemented is ErrUnknown with its name, never left out: such as byte pairs
//     whose pieces are marked (continuing_subword_prefix, end_of_word_suffix), which no static model has.
//   - Unknown words give no token, and no special tokens are added.
//   - No file and no text makes it panic. Time is O(n log n) in the length of a text.
//   - The map of the normalizer Precompiled is not read: NFKC stands for it, as in
//     Hugging Face's own tokenizers.js.
//
// Elsewhere: counting tokens for a window (package token), and the vectors of tokens
// (package embed).
package subword
