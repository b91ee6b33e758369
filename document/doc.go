// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package document declares what all formats of documents share.
//
// A [Format] reads a document as an [Outline]: its [Part] values in document order, each
// with its own text or typed attributes ([Attr], [Value]) and the fields derived from
// them ([Derived]). It merges two versions of a part ([Merging]). An [Editor] is a format whose
// files are written; [Linker] and [Checker] are what only some can do. [Formats] finds the format of a
// file, [Opaque] if no other owns it. [CheckEncoding] refuses edits that would mix
// encodings.
//
// An [Edit] is one typed change of a part of a document, such as [SetTitle]; a format
// applies it and returns a [Splice] for each range of bytes that changes.
//
// Invariants:
//
//   - The contents of a document's parts, in order, are its text, byte for byte.
//   - Derived fields are a function of the bytes. They enter no digest.
//   - Equal values, and only these, have equal canonical encodings.
//   - Which ids are usable does not depend on the formats in use.
//   - An edit says what changes, in terms of every format; whether and how a text
//     expresses it is decided by the format.
//   - Splices are sorted and disjoint, and count bytes of the text before the edit.
//
// Elsewhere: Org (package org), trees (package ast), identity and digests of parts
// (package node).
package document
