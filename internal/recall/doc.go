// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package recall finds nodes in one view: by a query tree, by words, or by the
// name a person gives the node they mean.
//
// A [View] is one state with the indexes made from it. [View.Query] runs
// a query tree, [View.Search] ranks by words, [View.Resolve] turns a focus
// (an id, FILE:LINE, FILE:+BYTE, a title) into a node.
//
// Invariants:
//
//   - Answers are a function of the view alone: same view, same answer, in the
//     same order.
//   - Tags match exactly and are inherited; nothing matches by substring
//     unless it was asked for as a pattern.
//   - A name that could mean two nodes is an error that lists both.
//
// Not here: parsing of queries (package query), ranking statistics
// (internal/index), choosing what a model sees (package window).
package recall
