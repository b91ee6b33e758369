// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package org reads the outline of Org files: headlines, planning, properties,
// tags, keywords, and the byte offsets of each on disk.
//
// [Parse] turns text into a [Document]; its [Headline] values, in document
// order, are the tree. [Links] finds the links in the text of one node.
//
// This is the outline tier. It follows Org 9.8.9, whose syntax is described in
// https://orgmode.org/worg/org-syntax.html; where it reads a file otherwise, the
// file testdata/deviations.txt says where and why. The elements below a headline
// (paragraphs, lists, tables, blocks) and inline markup are not parsed.
//
// Invariants:
//
//   - Any sequence of bytes is a document. Parse never fails; what it could not
//     read as meant is named in Document.Diagnostics.
//   - Offsets count bytes of the text as given: a byte order mark, carriage
//     returns and invalid UTF-8 count as they stand.
//   - The zeroth section and the own texts of all headlines, in order, are the
//     text, byte for byte. A subtree lies inside its parent's.
//   - The headlines depend on the keywords of the whole file: a #+TODO line counts
//     for the headlines above it too.
//   - Strings in the result are parts of the text given, not copies, but for what
//     setup files say. They keep it alive as long as they are held.
//   - Parse takes time in proportion to the text, whatever the text.
//
// Not here: what a headline means as a remembered thing, and its identity; that is
// package node.
package org
