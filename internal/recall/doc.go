// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package recall finds nodes in one state: by query, by words, or by a name that a
// person types.
//
// A [View] is a state, its indexes, and the [Ranker]s of the score, which add arms to a
// [Board]. [View.Query] runs a query tree, [View.Search] ranks by the sum of the arms,
// [View.Completed] lists recently finished entries, and [View.Resolve] turns a focus (an
// id, FILE:LINE, FILE:+BYTE, a title) into a node. [BestLine] returns the line of a node
// with most words of a question, and [View.Newest] the notes that changed last. A query that
// names the type of an element also finds elements: temporary nodes with the id
// NODE::TYPE.N, which [View.Span] rebuilds from the id.
//
// [Fit] learns a small correction of the ranking from what people and agents found useful:
// it makes a [Model] from [Event]s, with weights of the features for each region of a memex.
//
// Invariants:
//
//   - Answers, order included, depend only on the view and the time passed in.
//   - An index never changes an answer: its results are checked against the query, and
//     it is not used if it could miss one.
//   - The arms of a hit add up to its score. doc/score.md explains them.
//   - A ranker finds nodes by the marks of their index entries ([Document]), so that no
//     question reads the text of all nodes.
//   - Tags match exactly and are inherited; substrings match only where the query has a
//     pattern.
//   - An element takes the keyword, tags and inherited values of the node that contains
//     it; text, links and timestamps are its own. It is hashed only when it is found.
//   - Link addresses are expanded by the settings of the document.
//   - Only the headline of an encrypted entry is read.
//   - No learned weight exceeds MaxWeight, and no node gets more than MaxGiven. Weights are used
//     only while they rank the useful nodes higher for questions that they were not fitted to. A
//     region learns only from events about its own nodes. The same events give the same bits.
//   - An ambiguous name is an error that lists the candidates. The path of a document
//     always means the document, even if a node has it as id.
//
// Elsewhere: package query parses queries, package internal/index computes ranking statistics,
// package window selects what a model sees, and internal/minds keeps the events.
package recall
