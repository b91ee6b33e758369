// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package view shows the content of a memory at one moment.
//
// A [View] is an immutable state with the indexes over it: words, attributes, the outline that
// windows share, and the diagnostics of single documents. [Deriver] makes the view of each moment of
// a chain. A view can lay several scopes over one another, or leave out files in lockdown.
//
// Invariants:
//   - A view never changes and answers the same for as long as it is held. It writes nothing.
//   - An index is built when it is first asked for, from the index of an earlier state if there
//     is one; the result depends on the state alone.
//
// Elsewhere: ranking and queries are internal/recall; choosing the parts of a window is window;
// which files are in lockdown is decided by internal/protect.
package view
