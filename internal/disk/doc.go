// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package disk keeps a memory's blocks and commits in a state folder, so that
// nothing acknowledged is lost and nothing damaged is believed.
//
// A [Store] is an append-only journal with images beside it. [Store.Append]
// makes a [Batch] of records durable, all or nothing; [Store.Replay] gives the
// records back in order; [Store.Block] finds a block by its digest. An [Image]
// is a state in a form that loads at once. [Recovery] says what opening found.
// The files are described in doc/format: state-folder.md, journal.md, image.md.
//
// Invariants:
//
//   - Append returns nil only when the batch is durable. Batches that wait at
//     the same time share one sync; they form a group.
//   - A group is written only after the sync of the group before it returned.
//     So damage with a later group behind it is corruption; without one it is a
//     write that was cut short and that nobody was told of.
//   - Corruption is reported and never repaired by guessing: the store opens
//     read-only at the last good group, and no byte is changed.
//   - After the first error of a write the store is read-only until reopened. A
//     batch that got the error may still be there then.
//   - The journal is scanned from the segment of the newest image on; what lies
//     before is verified when it is read.
//   - No digest is taken on trust: blocks and sections are hashed when read.
//   - One process owns the folder: Open's caller holds the lock.
//
// Not here: what the blocks, commits and sections mean (packages graph and
// fovea), the interface of replaceable stores (package store), archives for
// other machines (package archive).
package disk
