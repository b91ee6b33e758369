// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package search says what a search of a view found.
//
// A [Hit] is a node with its score. Several arms rank nodes, such as their words, the words
// around them, and their vectors; a [Contribution] is what one of them adds to a score.
//
// Invariants:
//
//   - Scores are comparable within one search alone, similarities between all.
//
// Elsewhere: View.Search of the root package searches; internal/recall has the arms.
package search
