// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package store is the contract between a memory's history and whatever keeps it:
// an append-only sequence of records, blocks that are found by digest, and images
// of whole states.
//
// Store is the interface that every implementation has. A Batch of records becomes
// durable by Store.Append, all or nothing; Store.Replay returns the records in
// order; Store.Block finds a block by its digest; an Image is a state in a form that
// loads at once. A store that has nothing to sync, to pack or to lose does nothing where
// it is asked to; what is left of a damaged history is read by a Salvager.
//
// Invariants, which package storetest checks of each implementation:
//
//   - Append returns nil only when the batch is as durable as the store makes it.
//   - Records keep their order, their position and the number of their batch.
//   - A block is returned only if its bytes have the digest that was asked for.
//   - After the first error of a write the store is read-only until it is reopened.
//   - All methods are safe for concurrent use, and a function that is given to one may
//     call the store again.
//
// Elsewhere: the store that keeps files (package disk), what the blocks, commits and
// sections mean (packages graph and fovea).
package store
