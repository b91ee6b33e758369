// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ast is the format of trees: documents that a program hands over as elements
// with typed attributes, and not as text.
//
// A [Tree] is an element and all below it. [DecodeTree] reads one from JSON, as
// doc/format/ast.md describes it. [Format] makes it a format of documents:
// [Tree.Parts] and [Tree.Branch] return its parts, and [Merge] merges two versions.
//
// Invariants:
//
//   - A tree is checked before it is used: it has no cycle and no repeated id, and is
//     within the limits of depth and number.
//   - A tree must not be changed after it was passed to a function of this module. Trees
//     may share parts.
//   - The contents of parts are Org; only their links are read.
//   - No tree is traversed deeper than MaxTreeDepth, which fits on the stack of a goroutine.
//
// Elsewhere: attributes and their values (package document), ids and digests of the parts
// (package node).
package ast
