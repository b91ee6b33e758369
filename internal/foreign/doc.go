// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package foreign reads the notes of other programs and makes Org documents of them, and
// writes the notes of a memory as other programs read them.
//
// [Read] turns a folder of Markdown files, or a file of JSON lines, into [Document] values; a
// [Kind] names the program. [ToLines] and [Folder] write notes as JSON lines and as Markdown files.
//
// Invariants:
//   - The same source gives the same documents, byte for byte.
//   - Nothing in a document acts: its text passes package inert.
//   - What could not be carried over is told, in a line that names where it is, and does not stop
//     the rest.
//
// Elsewhere: front matter is internal/corpus; what an import replaces and keeps is
// api/ops, which makes it one commit; the graph of server-memory is internal/servermemory.
package foreign
