// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package proof defines the form of proofs about a memory, and verifies them. A proof shows that
// a note with exactly these bytes stood in a memory, that no note with an id did, or that one
// history contains another, each against a signed head and without a store.
//
// [File] is a proof; [Check] verifies a proof and returns a [Verdict]. To trust only code
// that you have read yourself, read verify.go, which has at most 250 lines of code,
// and the program in the folder verify. doc/format/proof.md specifies the bytes.
//
// Invariants:
//
//   - A proof has one form: Check rejects any bytes that Encode would not write.
//   - A proof contains no id, path or text of any other note.
//   - No input causes a panic, and no input longer than MaxFile bytes is read.
//   - The verifier shares no code with Fovea itself: it imports the standard library and
//     golang.org/x/mod/sumdb alone.
//
// Elsewhere: who may get which proof, and how one is made (api); the Merkle map
// (merkle); the log of commits and signed heads (internal/chain).
package proof
