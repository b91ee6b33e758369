// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package merkle implements content addressing and authenticated maps.
//
// A [Digest] is the SHA-256 of a block; its text form is the block's CID.
// Blocks are written with the Append functions, in the canonical encoding of
// their values, and read with a [Reader], which rejects every other encoding; a
// [Codec] does both for a form that names each part of a value once. A [Map] is an immutable set of leaves by key; its root digest depends on its
// content alone. [Diff] compares two maps. [Map.Prove] proves to anyone who
// knows the root that the map has a key, or that it has not.
//
// The encoding is the part of DAG-CBOR that Fovea needs: integers, byte
// strings, UTF-8 text, lists, maps with text keys, links, booleans and null.
// The formats are specified in doc/format: codec.md, digest.md and map.md.
//
// Invariants:
//
//   - A value has exactly one encoding: if Check accepts bytes, decoding and
//     encoding them returns the same bytes.
//   - A proof shows no value but that of its own key.
//   - No block is larger than MaxBlock. Longer contents and lists become trees of
//     blocks, and each content has exactly one tree.
//   - A declared length is trusted only if that many bytes are present, and a
//     fetched block only if it has the requested digest.
//   - The root of a Map does not depend on the order of changes: deleting a leaf
//     restores the root that the map had without it.
//   - No input causes a panic. A Map and its nodes never change.
//
// Elsewhere: what a node is, and which of its fields are hashed (package node).
package merkle
