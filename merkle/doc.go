// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package merkle names bytes by what they are and proves what a set holds.
//
// A [Digest] is the SHA-256 of a block; printed, it is the block's CID. Blocks
// are written with the Append functions, in the one canonical encoding of
// their value, and read with a [Reader] that accepts no other. A [Map] is an
// immutable set of leaves by key whose root digest depends on its content
// alone; two maps are compared by [Diff], and [Map.Prove] shows to anybody who
// knows the root that a key is in it or is not.
//
// The encoding is the part of DAG-CBOR that Fovea needs: integers, byte
// strings, UTF-8 text, lists, maps with text keys, links, booleans, null. The
// formats are described in doc/format: codec.md, digest.md, map.md.
//
// Invariants:
//
//   - One value, one encoding: what Check accepts decodes to a value whose
//     encoding is the same bytes.
//   - No block is larger than MaxBlock. Longer contents and lists become trees
//     of blocks, and there is one tree for a content.
//   - A declared length is believed only when the bytes are there, and a
//     fetched block only when its digest is the one asked for.
//   - The root of a Map does not depend on the order of changes: taking a leaf
//     out brings back the exact root there was without it.
//   - Nothing panics on input; a Map and everything below it never changes.
//
// Not here: what a node is and which of its fields are hashed (package node).
package merkle
