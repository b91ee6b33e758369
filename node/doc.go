// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package node defines the one thing Fovea remembers, the node, and maps Org
// text to nodes and back.
//
// A [Node] is a document, a headline, or an element that came as a [Tree]: from
// JSON, not from a file. It is immutable: an edit makes a new Node. Its [Entry]
// says where it hangs in a state; its [Derived] fields are what the parser read
// from its bytes. [Split] turns a parsed document into nodes; [Join] turns nodes
// back into the document, byte for byte. [GrowTree] does for trees what Split does
// for files, and [TreeOf] is its way back. [Merging] brings two versions of a node's own
// text together, and keeps each [Conflict] in the text.
//
// Invariants:
//
//   - The contents of a document's nodes, in document order, are the file. A tree
//     has no file; its document's path begins with a slash (IsMemory).
//   - The own digest covers type, attributes and content, never the position,
//     a time or a derived id; the version covers the own digest and the
//     children's versions. Both are functions of bytes alone.
//   - A derived id is a function of the document id, the outline path of
//     titles and the ordinal among equal siblings: of the folder, not of its
//     history. For a tree, types stand in for titles that are missing.
//   - Derived fields enter no digest, so a better parser changes no root. They are
//     a function of the document's bytes and of those of its setup files, which
//     Derived.Setup names; of a tree, of its nodes' attributes and contents.
//   - Of a node that bears or inherits the tag crypt only the own line is read:
//     Derived.Encrypted keeps links and body away from search and windows.
//   - A Node is never changed after it has entered a state. Strings of a node
//     may share memory with the file they were read from.
//
// Elsewhere: parsing (package org), digests and their encoding (package
// merkle), the set of all nodes, its history and which nodes a merge takes for one
// (package graph).
package node
