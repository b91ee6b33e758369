// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package care defines the operations that verify, repair, thin and purge a history, and those
// about files that differ from memory: protected files that changed, and drift; and those that make
// and check proofs: that a note with these bytes was in memory, that no note with an id was, that
// one history contains another.
//
// Its types are requests and answers, such as [VerifyRequest] and [ProofRequest]. Importing the
// package adds its operations to the table of package api.
//
// Invariants:
//   - All that change what history keeps or what is trusted need a grant for an agent.
//   - Content that a commit records as removed is not damage.
//   - Only those who may read a note at a moment may have a proof of it, and only the owner one that
//     an id was absent. No proof is handed out that the verifier refuses.
//
// Elsewhere: the work itself is internal/mend, internal/protect and internal/travel; the form of a
// proof and its verifier are package proof; the operations status and head are in package api.
package care
