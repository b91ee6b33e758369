// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package fovea is a human-readable memory for AI agents. It holds a folder of plain
// Org files as one live, Merkle-versioned graph in RAM, keeps every version, and gives
// a language model the best context for a token budget.
//
// A [Memory] is one folder, a memex, with its history; [Open] returns it and Close
// releases it. A [View] is its content at one moment: immutable, cheap to get, safe for
// concurrent use. [Memory.Ingest] reads the folder; the commits that it reports have
// been fsynced. [Memory.Notes] writes notes, [Memory.History] takes snapshots and goes
// back, [Memory.Guard] protects files, [Memory.Mending] verifies and repairs.
//
// A memex can have scopes, projects and sessions: each is a separate Memory
// ([Memory.Scope]). [Memory.Over] returns a view of several scopes. [Memory.IngestTree]
// adds nodes that belong to no file.
//
// Invariants:
//
//   - The same folder has the same root, on any machine and after any history.
//   - Acknowledged commits are on disk. After a failed fsync the memory serves reads
//     and refuses writes until it is reopened.
//   - The files belong to the user: reading never changes one. Rollback and edits
//     change only files that match their base version and that no editor holds: all
//     of them or none, even after a power failure.
//   - Caller and callee share no memory unless a method says so. Strings may share
//     memory with each other.
//
// Elsewhere: package window chooses the content of a window; package api has the
// operations as requests and responses for programs, servers and the command line.
//
// # Where a change goes
//
//   - A field of status: the struct and its maker in status.go; api answers with that struct; what a terminal shows is
//     internal/face/care.go. Then internal/httpapi/testdata/openapi.json.
//   - An option of a memory: options/options.go; its key of the configuration is in internal/config/config.go. Then
//     doc/configuration.md.
//   - What a program on the library can name: the interfaces in types.go, view.go, history.go and notes.go. Then
//     test/house/library_test.go, doc/library.md, examples/library.
//   - Which scopes a view lays over one another, and what each reader sees of them: overlay.go.
package fovea
