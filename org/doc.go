// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package org parses and edits Org files: headlines, planning, properties, tags,
// keywords, the elements of a section and the objects in their text, each with its
// byte offsets.
//
// [Parse] parses text into a [Document], whose [Headline] values are the outline in
// document order. [Document.Elements] and [Document.Objects] parse a section on
// demand into a [Tree], whose methods return the details of an element or object.
// [Document.Links] returns the links of a section and [ParseTimestamp] parses a
// timestamp. [Document.Edit], [Refile] and [Archive] make typed changes, returned as
// splices of bytes.
//
// [Format] makes Org a format of documents: it reads the outline with derived fields, and
// merges versions of a headline field by field. Conflicts are kept in a drawer.
//
// Parsing follows Org 9.8.9, whose syntax is specified in
// https://orgmode.org/worg/org-syntax.html. Edits have the effect of the Emacs
// commands under their default settings and those of the file. The deviation lists in
// testdata, and testdata/edit-deviations.txt for edits, state every difference with
// its reason.
//
// Invariants:
//
//   - Any sequence of bytes is a document. Parse never fails; Document.Diagnostics
//     reports text that is probably a mistake.
//   - Offsets count bytes of the original text, including a byte order mark,
//     carriage returns and invalid UTF-8.
//   - The zeroth section and the own texts of all headlines, in order, are the
//     text, byte for byte. A subtree lies inside the subtree of its parent.
//   - The headlines depend on the keywords of the whole file: a #+TODO line also
//     applies to the headlines above it.
//   - Strings in the result are substrings of the text and keep it alive, except for
//     the settings from setup files, which are copies.
//   - An edit changes no byte outside its purpose: the encoding, line ends and a
//     missing final line end are preserved. Parsing the result yields the requested
//     change.
//   - Elements consist of whole lines, except after a bullet or a footnote label,
//     and tile the contents of their parent.
//   - Parse, Elements and Objects take time in proportion to the text, whatever its
//     content and nesting depth.
//
// Elsewhere: edits and what other formats share (package document), identity of headlines
// (package node).
package org
