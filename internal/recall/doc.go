// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package recall finds nodes in one view: by a query tree, by words, or by the
// name a person gives the node they mean.
//
// A [View] is one state with the indexes made from it. [View.Query] runs
// a query tree, [View.Search] ranks by words, [View.Completed] lists what was
// finished last, [View.Resolve] turns a focus (an id, FILE:LINE, FILE:+BYTE, a
// title) into a node. Where a query names the type of an element, elements are
// found too: nodes with the id NODE::TYPE.N, made for the answer, which
// [View.Span] makes again from the id.
//
// Invariants:
//
//   - Answers are a function of the view and of the moment asked at alone: the
//     same answer in the same order.
//   - An index never changes an answer: what it offers is checked, and it is
//     left aside where it could miss something.
//   - Tags match exactly and are inherited; nothing matches by substring
//     unless it was asked for as a pattern.
//   - An element has the keyword, the tags and all that is inherited from the
//     node it stands in; text, links and timestamps are its own. It is hashed
//     only when it is found.
//   - The address of a link is what the settings of its document make of it.
//   - Of what is encrypted only the headline is read.
//   - A name that could mean two nodes is an error that lists both; the path of
//     a document means the document, whatever ids there are.
//
// Not here: parsing of queries (package query), ranking statistics
// (internal/index), choosing what a model sees (package window).
package recall
