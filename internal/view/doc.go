// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package view shows the content of a memory at one moment.
//
// A [View] is an immutable state with the indexes over it: words, attributes, the outline that
// windows share, and the diagnostics of single documents. [Deriver] makes the view of each moment of
// a chain. A view can lay several scopes over one another, or leave out files in lockdown. [Handles]
// are short words that stand for ids: letters made from a hash of the id, the first five, and more
// only where another id has the shorter word.
//
// Invariants:
//   - A view never changes and answers the same for as long as it is held. It writes nothing.
//   - An index is built when it is first asked for, from the index of an earlier state if there
//     is one; the result depends on the state alone.
//   - Each id that a history ever had keeps its handle, and no other id of that history gets it,
//     also after the node is removed. A history that is replayed gives the same handles.
//
// Elsewhere: ranking and queries are internal/recall; choosing the parts of a window is window;
// which files are in lockdown is decided by internal/ingest.
package view
