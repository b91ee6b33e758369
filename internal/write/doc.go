// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package write is the one engine of change: it carries out what rooms decide, in files and commits.
//
// A [Writer] performs a [Change]: a function reads the present state and sets new texts of files,
// documents without files, and marks. Changes that wait at the same time become durable together,
// each as a separate commit. An [Operation] sets files to another state of history.
//
// Invariants:
//   - A change reads each file from disk, and is checked against the state that it read: the rights
//     of its author, the claims of tasks, and the checks of the room.
//   - No file changes before the intent is durable, and nothing is committed before every file
//     is replaced.
//   - A file that another program changed meanwhile is never overwritten.
//   - The intent of an unfinished operation is the last record of the journal; [Writer.Settle]
//     completes the operation or takes it back.
//   - A change that repeats the key of an earlier one changes nothing.
//
// Elsewhere: internal/corpus stages and replaces a single file; internal/scope decides which files
// an author may change; internal/notes, internal/hive, internal/travel and other rooms decide what
// is written.
//
// # Where a change goes
//
//   - An edit of a note, or how notes are written: a file of internal/notes for each command.
//   - What makes the text of an agent inert: internal/inert/constructs.go, internal/inert/note.go, and activeElements in
//     internal/inert/check.go; applied in api/ops/place.go and checked in internal/notes/inert.go. Then decision 0090.
//   - The short name of a node: internal/view/handletable.go, internal/view/handles.go; names are resolved in
//     internal/recall/handles.go. Handles that were given must not change. Then internal/view/handles_test.go, doc/format/nodes.md,
//     decision 0118.
//   - Messages, tasks, leases: internal/hive/message.go, internal/hive/task.go, internal/hive/claim.go; what is refused to other writers:
//     internal/hive/fence.go; the default of a lease: api/ops/task.go, in defaultLease and two tags. Then the models in internal/hive
//     and decision 0127.
//   - Review of what agents write: internal/hive/proposal.go; which writes become proposals: api/ops/trust.go; carrying them out:
//     api/ops/review.go. Then api/review_test.go.
//   - Snapshots, rollback, revert, merge, blame: a file of internal/travel for each. Verify, repair, purge, retention: a file of
//     internal/mend for each. Then doc/reliability.md.
//   - What an ingest reads, buffers, trees: internal/ingest/ingest.go, internal/ingest/reader.go, internal/ingest/tree.go.
//   - How many lines that a session has not seen an answer shows: MaxUnseen in internal/travel/unseen.go.
//   - What is carried to other places: a stream of blocks in internal/place/streamread.go and internal/place/streamwrite.go, a bundle in
//     internal/place/bundle.go, seals in internal/place/seal.go, which packs are joined in internal/place/manifest.go, whose logs count in
//     internal/place/members.go. Then doc/format/bundle.md, doc/format/remote.md, decision 0200.
//   - Another kind of place: a Place as internal/place/folder.go or internal/place/hosted, and its row in places of cmd/fovea/session.go;
//     credentials in internal/config/bucket.go; the texts that list the kinds in internal/place/place.go, api/ops/remote.go and
//     internal/face/carry.go. Then internal/place/placetest and doc/moving.md.
//   - IPFS: requests in internal/ipfs/calls.go, archives in internal/ipfs/manifest.go, internal/ipfs/push.go and internal/ipfs/fetch.go,
//     states in internal/ipfs/state.go, what a purge cannot reach in internal/ipfs/placed.go. Then doc/format/ipfs.md, test/ipfs_test.go,
//     decision 0160.
package write
