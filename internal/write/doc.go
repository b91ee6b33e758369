// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package write is the one engine of change: it turns what rooms decide into files and commits.
//
// A [Writer] performs a [Change], a function that reads the present state and sets new texts of
// files, documents without files, and marks. Changes that wait together become durable together,
// each as a commit of its own. An [Operation] makes files those of another state of history.
//
// Invariants:
//   - A change reads each file as it is on disk, and is judged by the state that it read: what its
//     author may write, what the claims of tasks allow, and what the room checks.
//   - No file changes before the intent is durable, and nothing is committed before every file
//     is replaced.
//   - A file that another program changed meanwhile is never overwritten.
//   - The intent of an unfinished operation is the last record of the journal; [Writer.Settle]
//     completes the operation or takes it back.
//   - A change that repeats the key of an earlier one changes nothing.
//
// Elsewhere: staging and replacing one file is internal/corpus; which files an author may
// change is internal/scope; what is written is decided by internal/notes, internal/hive,
// internal/travel and other rooms.
package write
