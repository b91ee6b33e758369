// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package face phrases the answer of each operation, once for all readers.
//
// A [Row] is a verb: its operation, its help, and the way its answer is shown. The answer goes to a
// [Page]: records, remembered text, and notes, which are sentences about the answer. The page decides
// how they look. A pipe, and a reader of text over HTTP, gets only the records, with tabs. A terminal
// gets them laid out to its width, in styles, and the notes on standard error. A model gets a [Reply]:
// the JSON of an answer that quotes no note, with the notes as its remark; else the notes, followed
// by the records between fences. A [Stream] receives the text, a [Cell] is a column of a record.
//
// Invariants:
//   - A row only shows what is in the request and the answer; it calls no operation.
//   - A pipe gets the bytes unchanged, one record a line. At a terminal no remembered text acts on it.
//   - What was remembered reaches a model between fences that it cannot close, at most 128 KiB of it
//     unless a budget asks for more; messages are handed over whole or not at all.
//   - The text of a reply with data is that data, because some clients show their model only the data.
//
// Elsewhere: what an operation does is package api; flags, arguments and progress are internal/cli;
// tools and their arguments are internal/mcpserver.
package face
