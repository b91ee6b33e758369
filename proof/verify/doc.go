// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Command verify checks a proof of package proof against a public key and needs no store.
// It prints what is proved and exits with 0, or says why nothing is and exits with 1.
//
//	go run github.com/fovea-memory/fovea/proof/verify proof.json machine+1aa4341c+AddamAGC...
//
// It then prints the bytes of the note, if the proof is about one.
//
// Elsewhere: how a proof is checked (package proof), and made (api/proofs).
package main
