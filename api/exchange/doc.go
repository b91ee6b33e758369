// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package exchange defines the operations that import notes from other programs and export notes
// to them, and the one that lists forgotten notes.
//
// Its types are requests and answers: [ImportRequest], [Imported], [ExportRequest], [Exported].
// Importing the package adds its operations to the table of package api.
//
// Invariants:
//   - Only the owner may use them: an agent needs a grant.
//   - An import is one commit, which a revert takes back, or nothing at all. The same source
//     imported again changes nothing.
//   - An import does not overwrite what was changed or removed here since the last one.
//
// Elsewhere: other programs' formats are internal/foreign; files and memory are written
// together by internal/travel; the graph of server-memory is internal/servermemory; whole
// memories with their history are api/remotes.
package exchange
