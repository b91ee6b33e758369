// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package summary has a model at a chat endpoint summarize the blocks of working memory that
// do not fit a window.
//
// [Maker] keeps what the model wrote, by the digest of the text. [Maker.Of] returns it, or has
// it made in the background. [Options] name the endpoint and limit what it may see.
//
// Invariants:
//
//   - Nobody waits for the model: Of returns at once, and a later window has the summary.
//   - A server on another computer sees only what a remote embedder may see, and only texts of
//     notes, unless the owner lets it see everything. No server sees what is encrypted.
//   - A summary is shorter than its text, names the model, the lines and the digest, and is
//     kept in RAM alone.
//   - If the server fails, the error belongs to the text that it was asked about, and that text
//     is not tried again for a minute.
//
// Elsewhere: the client of the endpoint (package internal/embed), how a window shows a summary
// beside its source, and what it shows without one (package window).
package summary
