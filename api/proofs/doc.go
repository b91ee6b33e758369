// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package proofs defines the operations that make and check proofs: that a note with these
// bytes was in memory, that no note with an id was, that one history contains another.
//
// Its types are [Request], [Proof], [CheckRequest] and [Verdict]. Importing the package
// adds its operations to the table of package api.
//
// Invariants:
//   - Only those who may read a note at a moment may have a proof of it. Only the owner may have
//     a proof that an id was absent: it would reveal notes that others may not see.
//   - No proof is handed out that the verifier refuses.
//
// Elsewhere: the form of a proof and its verifier (package proof), the parts of a proof
// (internal/travel, internal/chain, merkle).
package proofs
