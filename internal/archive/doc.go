// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package archive writes and reads streams of blocks: the CARv1 files that IPFS tools
// exchange, and the envelope that seals such a stream for those who hold a key.
//
// A [Writer] writes a header with the roots and then blocks, each with its CID. A
// [Reader] returns the blocks in order, each only after its bytes were hashed. [Seal]
// encrypts a stream for recipients and [Open] decrypts it; [LockKey] keeps a key behind a
// passphrase. Damage is an [Error], which says which block it is in and at which byte.
//
// Invariants:
//
//   - No block is handed on before its digest was proved, and none is larger than MaxBlock.
//   - Memory is bounded by one block, whatever a stream declares.
//   - An archive has one form: what a Reader accepts to the end, a Writer writes again
//     byte for byte.
//   - Of a sealed stream, no byte is handed on that was not authenticated, and an end that
//     was cut off is an error.
//   - No input makes the package panic.
//
// Elsewhere: what the blocks mean, and whether any is missing (package bundle); digests
// and the encoding of blocks (package merkle). The page is doc/format/archive.md.
package archive
