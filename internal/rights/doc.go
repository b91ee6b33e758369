// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package rights says who may write which file of a scope, and what its owner trusts.
//
// [Rules] judge each file of an operation by its author. An agent writes where its rights
// allow. Only the owner writes a protected file, and edits of one that was changed from outside
// are refused until its owner has reviewed it. [Trust] is the book of trusted texts; it is a
// ledger of the chain.
//
// Invariants:
//   - An operation is judged before it reads or reveals anything to its author.
//   - Of all paths that lead to a file, the strictest rule applies.
//   - A text becomes trusted by an edit of the owner on top of a trusted text, by the first
//     scan under a policy, or by the owner's decision; never otherwise.
//
// Elsewhere: policies, books and verdicts are internal/guard; views without protected files
// that changed, alerts and the owner's decisions are internal/protect.
package rights
