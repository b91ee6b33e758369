// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Command verify checks a proof of package proof against a public key and needs no store.
// It prints the proven statement and exits with 0, or the reason why not and exits with 1; a call that
// cannot be exits with 2.
//
//	go run github.com/fovea-memory/fovea/proof/verify note.proof key.pub
//
// The key is the file key.pub of the machine that signed, or the line in it. If the proof is
// about a note, verify then prints the bytes of that note.
//
// Elsewhere: how a proof is checked (package proof), and made (api).
package main
