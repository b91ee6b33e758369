// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package record reads and writes the files that records of a history are kept in:
// segments of the journal and packs of old history. It knows their bytes, but not when they
// are written or which of them are current.
//
// A [Segment] is one file of the journal; a [Walker] reads its batches in order. A
// [Pack] is a file of old records with tables to find them by; a [PackWriter] makes
// one, and a [Manifest] names the packs that are current, in order. Both kinds of
// files consist of frames, which a [Reader] reads one by one, also around damage.
// The pages are doc/format/journal.md and doc/format/pack.md.
//
// Invariants:
//
//   - A frame counts only with its checksum, which covers the salt of the file and the
//     offset: a copy elsewhere is no frame.
//   - A record is passed on only if the whole batch that it belongs to verifies.
//   - A block is returned only if its bytes have the digest that was asked for.
//   - Damage is a store.Corruption that names the file and the offset; other errors
//     are those of the file system. No bytes make the package panic.
//   - Nothing here repairs, and nothing but a PackWriter and Segment.Seal makes bytes.
//
// Elsewhere: appending, recovery and compaction (package disk), what records mean
// (packages graph and chain), the contract of a store (package store).
package record
