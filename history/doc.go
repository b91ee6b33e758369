// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package history defines what a memory keeps of its past, and what a write adds to it.
//
// A [Commit] is one durable step, a [Snapshot] a commit kept for rollback, and a [Difference]
// the changes between two moments. [WriteOptions] are the options of one write.
//
// Invariants:
//
//   - The values are copies: changing one changes no history. Nodes and
//     edges in them are shared and must not be changed.
//
// Elsewhere: fovea.History goes through the history of a memory; internal/chain keeps it.
package history
