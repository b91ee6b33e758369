// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package chain keeps history: the commits of one scope over a store, each with the
// state it made.
//
// A [Chain] has one writer at a time and any number of readers. Readers take the
// newest [Moment], an immutable state with its commit and the values of all
// ledgers, by one atomic load. The writer holds a [Tx]: it commits states, adds marks,
// announces operations on files and takes blocks out of history. [Chain.Begin] returns
// the Tx, and all code that writes takes it as an argument. A commit is durable before
// it becomes the newest moment.
//
// A [Ledger] is a set of facts that is kept with the commits, as a struct of functions:
// snapshots, drift, baselines, tombstones. The chain stores its marks and images, replays them, and
// knows no ledger by name.
//
// Invariants:
//   - A commit follows the newest one: its number is the next, its parent is that
//     commit. Replay refuses anything else with [ErrBroken].
//   - A moment never changes. Its ledger values are those at its commit, or at a later
//     mark.
//   - Anything reported to a caller is already in the store; an image only makes opening
//     faster.
//   - The writer's lock is taken before the lock that guards replacing the store.
//     Ledgers, signer, witness and the callbacks of Options run in the writer: they must
//     not begin another Tx.
//
// Elsewhere: states, deltas and the encoding of a commit are internal/graph; bytes on
// disk are internal/disk; snapshots, drift and the guard's book are ledgers of the
// packages that own them.
package chain
