// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package foreign converts the notes of other programs to Org documents, and the notes of a memory
// to the formats of other programs.
//
// [Read] turns a folder of Markdown files, or a file of JSON lines, into [Document] values; a
// [Kind] names the program. [ToLines] and [Folder] write notes as JSON lines and as Markdown files.
//
// Invariants:
//   - The same source gives the same documents, byte for byte.
//   - Documents are inert: their texts pass package inert.
//   - Each part that cannot be converted is reported in a line that names its place, and does not
//     stop the rest.
//
// Elsewhere: internal/corpus parses front matter; api/ops decides what an import replaces, and makes
// it one commit; internal/servermemory has the graph of server-memory.
package foreign
