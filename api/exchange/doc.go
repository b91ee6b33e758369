// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package exchange defines the operations that take over the notes of other programs, and hand
// notes to them.
//
// Its types are requests and answers: [ImportRequest], [Imported], [ExportRequest], [Exported].
// Importing the package adds its operations to the table of package api.
//
// Invariants:
//   - They are the owner's alone: an agent needs a grant.
//   - An import is one commit, which a revert takes back, or nothing at all. The same source
//     imported again changes nothing.
//   - What was changed or removed here since an import stays as it is here.
//
// Elsewhere: other programs' formats are internal/foreign; files and memory are written
// together by internal/travel; the graph of server-memory is internal/servermemory; whole
// memories with their history are api/remotes.
package exchange
