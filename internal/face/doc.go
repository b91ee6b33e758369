// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package face phrases the answer of each operation, once for all who read it.
//
// A [Row] is a verb: the operation that it asks, its help, and how its answer is written. The answer
// goes to a [Page]: records, remembered text, and notes, which are sentences about the answer. What
// becomes of these depends on the page. A pipe gets the records alone, with tabs, and so does a
// reader of text over HTTP. A terminal gets them laid out to its width, in styles, and the notes on standard
// error. A model gets a [Reply]: the JSON of an answer that quotes no note, with the notes as its
// remark; else the notes, and behind them the records between fences. A [Stream] is where text ends
// up, a [Cell] a column of a record.
//
// Invariants:
//   - A row writes and asks nothing: what it shows is in the request and the answer.
//   - A pipe gets the bytes unchanged, one record a line. At a terminal no remembered text acts on it.
//   - What was remembered reaches a model between fences that it cannot close, at most 128 KiB of it
//     unless a budget asks for more; messages are handed over whole or not at all.
//   - The text of a reply with data is that data, for some clients show their model the data alone.
//
// Elsewhere: what an operation does is package api; flags, arguments and progress are internal/cli;
// tools and their arguments are internal/mcpserver.
package face
