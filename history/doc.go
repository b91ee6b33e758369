// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package history says what a memory keeps of its past, and what a write adds to it.
//
// A [Commit] is one durable step, a [Snapshot] a commit kept for rollback, and a [Difference]
// what lies between two moments. [WriteOptions] are those of one write.
//
// Invariants:
//
//   - The values are copies of what is kept: changing one changes no history. Nodes and
//     edges in them are shared and must not be changed.
//
// Elsewhere: fovea.History goes through the history of a memory; internal/chain keeps it.
package history
