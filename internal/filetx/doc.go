// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package filetx changes files and memory in one step.
//
// An [Operation] stages the new bytes beside each file, announces an [Intent] in the journal,
// replaces the files, and commits. [Files.Settle] completes or takes back an operation that a
// crash cut short.
//
// Invariants:
//   - No file changes before the intent is durable, and nothing is committed before every file
//     is replaced.
//   - A file that another program changed meanwhile is never overwritten.
//   - The intent of an unfinished operation is the last record of the journal.
//
// Elsewhere: staging and replacing one file is internal/corpus; which files an author may
// change is internal/rights; what is written is decided by internal/notes and internal/travel.
package filetx
