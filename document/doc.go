// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package document declares what all formats of documents share.
//
// A format reads a document as an [Outline]: its [Part] values in document order, each
// with its own text or typed attributes ([Attr], [Value]) and the fields derived from
// them ([Derived]).
//
// An [Edit] is one typed change of a part of a document, such as [SetTitle]; a format
// applies it and returns a [Splice] for each range of bytes that changes.
//
// Invariants:
//
//   - Derived fields are a function of the bytes. They enter no digest.
//   - A Value is its canonical encoding: equal values have equal encodings.
//   - An edit says what changes, in terms of every format; whether and how a text
//     expresses it is decided by the format.
//   - Splices are sorted and disjoint, and count bytes of the text before the edit.
//
// Elsewhere: Org as a format (package org), identity and digests of parts (package
// node).
package document
