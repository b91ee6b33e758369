// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package node builds nodes, the units of memory, from the parts that a format produces.
//
// A [Node] is a document, a headline, or an element of a tree. It is immutable: an edit
// makes a new Node. Its [Entry] is its place and its digests in a state; its derived
// fields are what the format read from its bytes.
//
// [Read] returns the [Outline] of a document, [Replace] that of a branch of a tree,
// [Extend] that of headlines added to a file; [Outline.Nodes] makes nodes of any outline.
// [Join], [TreeOf] and [Parts] turn nodes back into the file or the tree.
//
// A [Hit] is a node that a search found, with its score; a [Contribution] is the score that one arm
// of the search, such as words or vectors, adds. Only scores of the same search can be compared.
//
// Invariants:
//
//   - The contents of a document's nodes, in document order, are the file. A tree has no
//     file, and the path of its document begins with a slash (document.IsMemory).
//   - The own digest covers type, attributes and content, never the position, a time or
//     a derived id; the version covers the own digest and the children's versions. Both
//     are functions of bytes alone.
//   - A derived id is a function of the document id, the titles on the path to the node
//     and its ordinal among siblings of the same title: it depends on the folder, not on
//     its history. In a tree, the type replaces a missing title.
//   - Derived fields enter no digest, so a better parser changes no root. They are a
//     function of the document's bytes and of those of its setup files, which
//     Derived.Setup names; for a tree, of its nodes' attributes and contents.
//   - For a node that has or inherits the tag crypt, only the headline is read:
//     Derived.Encrypted hides its links and body from search and windows.
//   - A Node is never changed after it has entered a state. Strings of a node may share
//     memory with the file they were read from.
//
// Elsewhere: parts, attributes and merging (package document), formats (packages org and
// ast), digests and their encoding (package merkle), the set of all nodes, its history,
// and the matching of nodes in a merge (package graph).
package node
