// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package disk keeps a memory's blocks and commits in a state folder, so that
// nothing acknowledged is lost and nothing damaged is trusted.
//
// A [Store] is an append-only journal with images. [Store.Append]
// makes a batch of records durable, all or nothing; [Store.Replay] returns the
// records in order; [Store.Block] finds a block by its digest, [Store.Commits]
// commits by their number. An image is a state in a form that loads at once. [Store.Pack] moves
// old segments of the journal into packs, where records are found by position;
// [Store.Rewrite] leaves blocks out of history for good. A store.Recovery reports what opening
// found, [Store.Check] verifies all files again, and a [Salvage] rebuilds a consistent history
// from the parts of a damaged one that still verify.
// The folder is described in doc/format/state-folder.md, the files in journal.md, pack.md and
// image.md there.
//
// Segments and packs are sources of records, which consist of frames. A reader reads frames
// one by one, also around damage, a walker reads the batches of a source in order, and a
// reading goes through several sources. What surrounds the records is laid out as structs of
// a fixed size.
//
// A Store is made of parts with an invariant each: condition (what it can still
// do), placement (whether its files are where they were), files (which file a
// segment is in), journal (appending in groups), the indexes of blocks and of
// commits, images, and packing.
//
// Invariants:
//
//   - Append returns nil only when the batch is durable. Batches that wait at
//     the same time share one sync; they form a group.
//   - A group is written only after the sync of the group before it returned.
//     Damage followed by a later group is therefore corruption; damage at the end
//     is an unacknowledged write that was interrupted.
//   - Corruption is reported and never repaired by guessing: the store opens
//     read-only at the last good group, and no byte is changed.
//   - After the first error of a write the store is read-only until reopened. A
//     batch that got the error may still be there then.
//   - Opening scans the journal from the segment of the newest image, or after a
//     clean close from the position of the image. Older records are verified when
//     they are read.
//   - A record is in the journal or in a current pack, never in both or in
//     neither: the manifest of the packs, replaced as a whole, says in which.
//   - Positions and the numbers of commits do not change when records move.
//   - A frame counts only with its checksum, which covers the salt of the file and the
//     offset: a copy elsewhere is not a frame. A record is passed on only if the whole batch
//     that it belongs to verifies.
//   - No digest is taken on trust: blocks and sections are hashed when read. What does not
//     verify is not returned; a damaged section of an image that is derived is left out.
//   - Damage is a store.Corruption that names the file and the offset; other errors are those
//     of the file system. No bytes make the package panic, or allocate more than the file's size.
//   - One process owns the folder: Open's caller holds the lock.
//
// Elsewhere: what the blocks, commits and sections mean (packages graph and chain), the
// interface of replaceable stores (package store).
package disk
