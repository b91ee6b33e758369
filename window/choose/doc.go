// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package choose decides how much of each node a window shows within its token budget.
//
// A [Selection] spends a budget on [Candidate] values. Each has a value, an estimate of its
// tokens at each level, and a heading that must be shown above it. [Selection.Spend] takes the
// steps with the highest gain per token first, and [Selection.Bound] returns a value that no
// choice can exceed.
//
// Invariants:
//
//   - The shown levels never cost more than the budget, except for pinned ones.
//   - A candidate is shown below the headings of its ancestors.
//   - While others compete for space, no untrusted agent gets more than 30 % of the budget.
//   - Of candidates with the same digest, only one is shown.
//
// Elsewhere: which nodes are candidates, their values, what is pinned, and the order of the
// policies (package window); the text of a node at a [Level] (package window/render).
package choose
