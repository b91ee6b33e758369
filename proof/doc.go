// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package proof is the form of proofs about a memory, and their verifier: that a note with
// these bytes stood in it, that no note of an id did, or that one history contains
// another, each against a signed head and without a store.
//
// [File] is a proof, [Check] verifies one and returns a [Verdict]. Whoever wants to trust
// nothing but what they have read reads verify.go, which with the program in the folder
// verify is 250 lines at most. doc/format/proof.md specifies the bytes.
//
// Invariants:
//
//   - A proof has one form: Check refuses what Encode does not write.
//   - A proof holds no id, path or text but those of its note.
//   - No input causes a panic, and none is read beyond MaxFile bytes.
//   - The verifier shares no code with what it checks: it imports the standard library and
//     golang.org/x/mod/sumdb alone.
//
// Elsewhere: who may have which proof, and how one is made (api/proofs); the Merkle map
// (merkle); the log of commits and signed heads (internal/chain).
package proof
