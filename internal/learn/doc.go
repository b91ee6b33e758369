// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package learn fits a small correction of a ranking to what people and agents found useful.
//
// An [Event] is one question with what was shown for it: the score of each node, its features,
// and whether it was useful. [Fit] returns a [Model]: for each region of a memex, weights of the
// features, and whether they have proven to help. [Weights.Of] is what a node gets.
//
// Invariants:
//
//   - No weight is beyond MaxWeight, and no node gets more than MaxGiven, whatever the events
//     say.
//   - Weights count only while they put the useful nodes higher for questions that they were not
//     fitted to: each third of the questions is held back once. The third of a question follows
//     from its digest.
//   - A region learns from events about its own nodes alone.
//   - The same events give the same bits. No time enters.
//
// Elsewhere: features and the ranker that uses a model (package internal/recall), how events are
// kept (package internal/feedback).
package learn
