// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package travel moves a scope through its history: snapshots, earlier views, rollback, the
// revert of some commits, files of an earlier moment, and the merge of another copy.
//
// [History] belongs to one scope. A moment is named by a reference: the index or the name of a
// snapshot, a commit, a date, or head. [History.Register] keeps the snapshots in the chain.
//
// Invariants:
//   - Going back adds a commit; no commit is ever removed.
//   - Files follow memory in the same step, all or none, unless the caller wants memory alone;
//     what then differs is the drift.
//   - A merge has the same root on both sides, whoever merges first.
//
// Elsewhere: commits, moments and replay are internal/chain; merging states is internal/graph;
// dropping content from history is internal/mend.
package travel
