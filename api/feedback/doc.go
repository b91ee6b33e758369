// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package feedback defines the operations by which the owner and agents say what of the notes
// that they were shown was useful, and see what Fovea learned from that.
//
// [UsefulRequest] says it; [LearnedStatus] is what was learned. Importing the package adds its operations
// to the table of package api.
//
// Invariants:
//   - Feedback is about what was shown: to an agent in one of its windows, to the owner by a
//     search for the question. Anything else is an error.
//   - No node counts that the caller may not see.
//
// Elsewhere: entries are kept by internal/minds, learning is internal/recall, what an agent
// may ask is package api/trust.
package feedback
