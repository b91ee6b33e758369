// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package champ implements a persistent hash map with string keys.
//
// A [Map] is an immutable value: copying it is an O(1) clone, and every version
// stays readable while it is referenced. An [Editor] applies many changes to
// one version before it freezes them into the next.
//
// The structure is the compressed hash-array mapped prefix tree of Steindorfer
// and Vinju, "Optimizing Hash-Array Mapped Tries for Fast and Lean Immutable
// JVM Collections" (OOPSLA 2015): 64-way nodes with one bitmap for the entries
// and one for the children, and no storage for empty slots. With 64 slots
// instead of 32, most lookups among 100,000 keys need one memory load less.
//
// Invariants:
//
//   - Only the root may have fewer than two entries in its subtree, so the shape of
//     a map depends only on its content, not on its history.
//   - A node is modified only by the Editor that created it.
//   - The nodes of a map created by Build are allocated in a few slices,
//     which live as long as any version that shares one of their nodes.
//   - An entry list and a child list hold one element for each bit of their bitmap,
//     in bit order. A node below the last hash bit has no bitmap, only entries in
//     key order.
//   - The hash is seeded once for each process. The order of All therefore differs
//     between processes and must not reach any output.
//
// Elsewhere: a map with a digest, an order, differences and proofs (package
// merkle).
package champ
