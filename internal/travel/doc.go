// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package travel moves a scope through its history: snapshots, earlier views, blame, rollback,
// reverting commits, restoring earlier files, merging another copy, and signing heads.
//
// [History] belongs to one scope. A moment is named by a reference: the index or the name of a
// snapshot, a commit, a date, or head. The snapshots are a ledger of the chain. A [Reader] holds the
// session of an agent to what it has seen: it may not replace or remove text of others that it has
// not been shown.
//
// Invariants:
//   - Going back adds a commit; no commit is ever removed.
//   - Files follow memory in the same step, all or none, unless the caller wants memory alone.
//     The files that then differ from memory are its drift, see internal/scope.
//   - Merging two copies yields the same root, whichever copy merges first.
//
// Elsewhere: commits, moments and replay are internal/chain; merging states is internal/graph;
// dropping content from history is internal/mend.
package travel
