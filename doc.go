// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package fovea is a memory for AI agents that a person can read. It holds a
// folder of plain Org files as one live, Merkle-versioned graph in RAM, keeps
// every version, and gives a language model the best context for a token
// budget.
//
// A [Memory] is one folder, a memex, and the memory over it; it comes from
// [Open] and is given back by Close. A [View] is what it holds at one moment:
// immutable, free to take, safe for any number of readers. [Memory.Ingest]
// reads the folder; what it returns as committed has been fsynced.
//
// Beside the memex there are scopes, projects and sessions, each a Memory of its own
// ([Memory.Scope]); [Memory.Over] is the view of several. [Memory.IngestTree] takes in
// nodes that stand in no file. [Memory.Remember] and [Memory.Forget] are how agents
// write.
//
// Invariants:
//
//   - Same folder, same root, on any machine and after any history.
//   - Acknowledged means on disk. After a failed fsync the memory answers
//     reads and refuses writes until it is opened again.
//   - The files belong to the person: reading never changes one. Rollback and
//     the edits change only files that hold what they are based on and that no
//     editor holds, all of them or none, whenever the power fails.
//   - No memory is shared between caller and callee unless a method says so.
//     Strings may share memory with each other.
//
// Elsewhere: what goes into a window (package window), the operations as
// requests and responses for programs, servers and the command line (package
// api).
package fovea
