// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package linediff compares and merges texts line by line.
//
// A line includes its newline, so that a changed line ending is a changed line, and the
// concatenation of the lines is the text. [Diff] returns the [Hunk]s that turn one list
// of lines into another; [Unified] formats them for people. [Merge] is a three-way
// merge. It returns [Chunk]s in order; where both sides changed the same lines
// differently, a chunk holds all three versions.
//
// Invariants: the lines between hunks are equal on both sides; Diff is deterministic;
// it takes O(n log n), except for stretches without a line that is unique on both
// sides, where it searches up to fifty edits and reports the rest as one hunk.
//
// Elsewhere: what a change means for a node, and how conflicts are resolved (package
// node).
package linediff
