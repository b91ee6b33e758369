// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package proofs defines the operations that make and check proofs: that a note with these
// bytes was in memory, that no note of an id was, that one history contains another.
//
// Its types are [Request], [Proof], [CheckRequest] and [Verdict]. Importing the package
// adds its operations to the table of package api.
//
// Invariants:
//   - Who may read a note at a moment may have a proof of it, and nobody else. That an id
//     was absent is proved to the owner alone: it tells of notes that others may not see.
//   - No proof is handed out that the verifier refuses.
//
// Elsewhere: the form of a proof and its verifier (package proof), what a proof is made of
// (internal/travel, internal/chain, merkle).
package proofs
