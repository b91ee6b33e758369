// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package summary has a model at a chat endpoint summarize the blocks of working memory that
// do not fit a window.
//
// [Maker] keeps what the model wrote, by the digest of the text. [Maker.Of] returns it, or has
// it made in the background. [Options] name the endpoint and say what it may see.
//
// Invariants:
//
//   - Nobody waits for the model: Of returns at once, and the next window has what was made.
//   - A server on another computer sees what a remote embedder may see, and no text that
//     stands in no note, unless its owner lets it see all. None sees what is encrypted.
//   - A summary is shorter than its text, names the model, the lines and the digest, and is
//     kept in RAM alone.
//   - What the server does wrong is an error of the text that it was asked about, which is not
//     tried again for a minute.
//
// Elsewhere: the client of the endpoint (package internal/embed), how a window shows a summary
// beside its source, and what stands without one (package window).
package summary
