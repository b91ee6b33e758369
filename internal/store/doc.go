// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package store is the contract between a memory's history and its storage: an append-only sequence of records,
// blocks that are found by digest, and images of whole states.
//
// Store is the interface that every implementation has. A Batch of records becomes
// durable by Store.Append, all or nothing; Store.Replay returns the records in
// order; Store.Block finds a block by its digest; an Image is a state in a form that
// loads at once. A store with nothing to sync, pack or lose does nothing when
// asked to; a Salvager reads the rest of a damaged history.
//
// Invariants, which package storetest checks of each implementation:
//
//   - Append returns nil only when the batch is as durable as the store makes it.
//   - Records keep their order, their position and the number of their batch.
//   - A block is returned only if its bytes have the digest that was asked for.
//   - After the first error of a write the store is read-only until it is reopened.
//   - All methods are safe for concurrent use, and a function passed to one may
//     call the store again.
//
// Elsewhere: the store that keeps files (package disk), what the blocks, commits and
// sections mean (packages graph and fovea).
//
// # Where a change goes
//
//   - The bytes of journal and packs: the codec in internal/disk; what a batch lays out before it: internal/store/record.go. A change has
//     a new number in internal/disk/fixed.go and a reader for the old one; under the same number old frames fail their checksums and are
//     cut off as a torn tail. Then doc/format, internal/disk/layout_test.go and the vectors of internal/disk.
//   - The bytes of images: the codec in internal/disk; their sections are those of the ledgers and of internal/view. Then doc/format and
//     the vectors of internal/disk.
//   - When and how history is written, recovered and packed: the part of internal/disk that does it; when an image is due: internal/chain.
//     Then the crash tests of internal/disk and test.
//   - Another way to store a history, such as SQLite: a Store in a package beside internal/disk; Options.OpenStore (options/options.go)
//     opens it. What stays of files: the lock, FORMAT and the name of an image; repair needs a Salvager. Then internal/store/storetest.
//   - A fact that is kept with commits: a ledger (internal/chain/ledger.go), registered by its room as in internal/notes/tombstone.go.
//     Then doc/format.
package store
