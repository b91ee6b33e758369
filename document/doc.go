// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package document declares the types that all formats of documents share.
//
// A [Format] reads a document as an [Outline]: its [Part] values in document order, each
// with its own text or typed attributes ([Attr], [Value]) and the fields derived from
// them ([Derived]). It merges two versions of a part ([Merging]). An [Editor] is a format whose
// files Fovea writes; [Linker] and [Checker] are optional interfaces. [Formats] finds the format of a
// file, or [Opaque] if no format owns it. [CheckEncoding] rejects edits that would mix
// encodings.
//
// An [Edit] is one typed change of a part of a document, such as [SetTitle]; a format
// applies it and returns a [Splice] for each range of bytes that changes.
//
// Invariants:
//
//   - The contents of a document's parts, in order, are its text, byte for byte.
//   - Derived fields are a function of the bytes. They enter no digest.
//   - Two values are equal exactly if their canonical encodings are equal.
//   - Which ids are usable does not depend on the formats in use.
//   - An edit states what changes, in terms that every format has; the format decides
//     whether and how a text can express it.
//   - Splices are sorted and disjoint, and count bytes of the text before the edit.
//
// Elsewhere: Org (package org), trees (package ast), identity and digests of parts
// (package node).
//
// # Where a change goes
//
//   - How Org is read or edited: a file of org for each element and each edit. Then its golden files in org/testdata.
//   - Another format, such as Markdown: a Format in a new package, an Editor if notes are written, a Checker for texts of
//     agents, a Linker for links. A library passes it in Options.Formats, the program in internal/config/org.go and
//     cmd/fovea/mergefile.go. Still only for Org: internal/recall, which reads elements, sources, links and clocks; code blocks in
//     internal/guard; the file of a new note in api/remember.go and internal/notes/remember.go. Then the list in
//     test/house/formats_test.go; test/markdown_test.go tests all of it; see decision 0251.
//   - Merging two versions of a note: Merge of org or ast; internal/graph/merge_match.go matches the nodes; org/merge_claim.go decides
//     which claim of a task stays. Then doc/merge.md.
//   - A property, keyword or tag that changes what Fovea does: the package that reads it, and its row in internal/inert/obeyed.go, which
//     states who may set it. Then test/house/obeyed_test.go and doc/agents.md.
package document
