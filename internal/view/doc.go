// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package view shows the content of a memory at one moment.
//
// A [View] is an immutable state with the indexes over it: words, attributes, the outline that
// windows share, and the diagnostics of single documents. [Deriver] makes the view of each moment of
// a chain. A view can lay several scopes over one another, or leave out files in lockdown. [Handles]
// are short names of ids: the first five letters made from a hash of the id, and more only if
// another id has the shorter name.
//
// Invariants:
//   - A view is immutable and writes nothing.
//   - An index is built on first use, from the index of an earlier state if there is one; the
//     result depends only on the state.
//   - Each id that a history ever had keeps its handle, and no other id of that history gets it,
//     even after the node is removed. Replaying a history gives the same handles.
//
// Elsewhere: internal/recall ranks and runs queries; window chooses the parts of a window;
// internal/ingest decides which files are in lockdown.
package view
