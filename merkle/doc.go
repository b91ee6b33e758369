// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package merkle implements content addressing and authenticated maps.
//
// A [Digest] is the SHA-256 of a block; its text form is the block's CID.
// Blocks are written with the Append functions, in the canonical encoding of
// their values, and read with a [Reader], which rejects every other encoding; a
// [Codec] does both by a form that names each part of a value once. A [Map] is an
// immutable set of leaves by key; its root digest depends only on its content.
// [Diff] compares two maps. [Map.Prove] proves to anyone who has the root that
// the map has a key, or does not have it.
//
// The encoding is the part of DAG-CBOR that Fovea needs: integers, byte
// strings, UTF-8 text, lists, maps with text keys, links, booleans and null.
// The formats are specified in doc/format: codec.md, digest.md and map.md.
//
// Invariants:
//
//   - A value has exactly one encoding: if Check accepts bytes, decoding and
//     encoding them returns the same bytes.
//   - A proof reveals no value other than that of its own key.
//   - No block is larger than MaxBlock. Longer contents and lists become trees of
//     blocks, and each content has exactly one tree.
//   - A declared length is trusted only if that many bytes are present, and a
//     fetched block only if it has the requested digest.
//   - The root of a Map does not depend on the order of changes: deleting a leaf
//     restores the root that the map had without it.
//   - No input causes a panic. A Map and its nodes never change.
//
// Elsewhere: what a node is, and which of its fields are hashed (package node).
//
// # Where a change goes
//
//   - A predicate of the query language: its row in query/predicates.go. A new fact about nodes: a method in query/candidate.go and
//     internal/recall/candidate.go. A fact that no parser provides yet: a field in document/derived.go with its Equal and
//     ParserVersion, and the codec internal/graph/derived.go, without which an image loses it. To use the index instead of a scan:
//     internal/recall/attributes.go, which gives a superset of the matches. Then the fake node of query/match_test.go and a query in
//     internal/recall/reference_test.go.
//   - What a commit records about its author: author/author.go, the codec in internal/graph/commit.go, internal/chain/commit.go,
//     api/types.go and api/convert.go, and what log prints in internal/face/history.go. Then doc/format/commit.md and the golden files in
//     internal/graph/testdata.
//   - Rights and names of agents: author/grant.go and author/name.go; api/ops checks them. Then SECURITY.md.
//   - A language with an outline: its name in internal/outline/language.go, its grammar in internal/outline/rules.go; how statements are
//     read and where bodies end: internal/outline/read.go; the lines of an outline: internal/outline/text.go. Then a case in
//     internal/outline/testdata/cases, the files compared in internal/outline/oracle_test.go, a package in .ci/sources.
//   - What a proof proves: its form is in proof/file.go, the verifier in proof/verify.go; internal/travel/prove.go makes proofs
//     from merkle/proof.go and internal/chain/log.go; api/prove.go decides who may get one. Then
//     doc/format/proof.md and decision 0156.
//   - A field of the signed head, or a statement in it: SignedHead, text and parseHead in internal/chain/head.go, who signs in
//     internal/chain/sign.go, the statement of a ledger as in internal/scope/trustledger.go; openHead of proof/verify.go reads it
//     without a store. Then doc/format/nodes.md.
//   - How tokens are counted: token/exact.go, token/estimate.go. Then decision 0003.
package merkle
