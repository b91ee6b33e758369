// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package champ is a persistent hash map from strings to values.
//
// A [Map] is an immutable value: copying it is the O(1) clone, and every
// version stays readable for as long as somebody holds it. An [Editor] makes
// many changes to one version before it freezes them into the next.
//
// The structure is the compressed hash-array mapped prefix tree of Steindorfer
// and Vinju, "Optimizing Hash-Array Mapped Tries for Fast and Lean Immutable
// JVM Collections" (OOPSLA 2015): 64-way nodes, one bitmap for the entries and
// one for the children, nothing stored for an empty slot. With 64 slots rather
// than 32 most ways among 100,000 keys are a load from memory shorter.
//
// Invariants:
//
//   - Only the root may hold fewer than two entries in its subtree, so a map
//     has one shape for a content, whatever history led to it.
//   - A node that an Editor did not create is never written to.
//   - The nodes of a map that Build or Pack made stand in few slices, which live
//     as long as any version that shares one of them.
//   - An entry list and a child list hold one element per bit of their bitmap,
//     in bit order; a node below the last hash bit holds no bitmap, only
//     entries in key order.
//   - The hash is seeded once per process, so the order of All differs from
//     one process to the next and must not reach any output.
//
// Not here: a map with a digest, an order, differences and proofs (package
// merkle).
package champ
