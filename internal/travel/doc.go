// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package travel moves a scope through its history: snapshots, earlier views, blame, rollback,
// the revert of some commits, files of an earlier moment, the merge of another copy, signed heads.
//
// [History] belongs to one scope. A moment is named by a reference: the index or the name of a
// snapshot, a commit, a date, or head. The snapshots are a ledger of the chain.
//
// Invariants:
//   - Going back adds a commit; no commit is ever removed.
//   - Files follow memory in the same step, all or none, unless the caller wants memory alone.
//     The files that then differ from memory are its drift, see internal/scope.
//   - A merge has the same root on both sides, whoever merges first.
//
// Elsewhere: commits, moments and replay are internal/chain; merging states is internal/graph;
// dropping content from history is internal/mend.
package travel
