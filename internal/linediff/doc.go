// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package linediff compares texts line by line.
//
// A line is its bytes with its line end, so that a line end that changed is a line
// that changed, and the lines of a text in order are the text. Diff returns the
// hunks that make one list of lines of another; Unified writes them for people.
// Merge brings two texts together that came from a third, as chunks in order; where
// both changed the same lines in different ways a chunk holds all three versions.
//
// Invariants: the lines between the hunks are equal on both sides; the same texts
// give the same hunks; no text makes it slow beyond O(n log n) but for stretches
// without a line that stands once on each side, where fifty edits are searched and
// the rest is told as one hunk.
//
// Not here: what a change means for a node, and what becomes of a conflict (package
// node).
package linediff
