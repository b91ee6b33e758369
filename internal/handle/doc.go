// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package handle gives nodes handles: short words that stand for their ids.
//
// A handle is letters from a to z, made from a hash of the id: the first five, and more
// only where another id has the shorter word. A [Table] holds the handles of one history.
//
// Invariants:
//
//   - Each id that a history ever had keeps its handle, and no other id of that history
//     gets it, also after the node is removed.
//   - The order of commits, and within a commit the order of ids, decides which id has a
//     word. A history that is replayed gives the same handles.
//   - A Table keeps only what cannot be computed: ids that are gone, and long handles. The
//     index from handles to ids is built when it is first needed.
//
// Elsewhere: the ledger that keeps the table of a chain, and the views that show handles,
// are internal/view; names that people and programs give nodes are resolved in
// internal/recall.
package handle
