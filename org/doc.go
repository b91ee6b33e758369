// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package org reads Org files: headlines, planning, properties, tags, keywords, the
// elements below a headline and the objects in their text, each with its byte
// offsets on disk.
//
// [Parse] turns text into a [Document]; its [Headline] values, in document order,
// are the outline. [Document.Elements] and [Document.Objects] read a section further
// when it is asked for, into a [Tree]; what an element or object holds is a method of
// the tree. [Document.Links] gives the links of a section, [ParseTimestamp] reads a
// timestamp.
//
// All of it follows Org 9.8.9, whose syntax is described in
// https://orgmode.org/worg/org-syntax.html; where it reads a file otherwise, the
// deviation lists in testdata say where and why.
//
// [Document.Edit], [Refile] and [Archive] make typed changes as splices of bytes, as
// Emacs' own commands make them under its default settings and those of the file;
// testdata/edit-deviations.txt says where they do otherwise.
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
//   - An edit changes no byte that it was not asked to: encoding, line ends and a
//     missing final line end stay. What it writes is read as what was asked for.
//   - Elements are made of whole lines, but behind a bullet or the label of a
//     footnote, and tile the contents of the element that they are in.
//   - Parse, Elements and Objects take time in proportion to the text, whatever the
//     text and however deep it is nested.
//
// Not here: what a headline means as a remembered thing, and its identity; that is
// package node.
package org
