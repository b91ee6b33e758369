// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package actions says what agents do through Fovea, so that each action leaves its block in
// the working memory of its agent.
//
// [Record] is for api.LocalOptions.Did; [Of] turns a call and its answer into an action.
//
// Invariants:
//
//   - What an agent did is told by titles, ids and paths, not by the text of notes.
//   - A call that only the answer to another one takes is no action.
//   - A window leaves no block: its manifest is kept, and its question would come back.
//
// Elsewhere: blocks and what an action leaves (package working), the queue and the commit
// (package windowlog), what hooks and agents report themselves (the operation block-add).
package actions
