// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package mend proves a memory, repairs a damaged one, and drops content from history.
//
// [Mender] belongs to one scope. [Mender.Verify] computes everything again from the bytes;
// [Mender.Repair] keeps what verifies and records what is lost; [Mender.Purge] and
// [Mender.Retain] drop content for good, by a commit that says so.
//
// Invariants:
//   - Verifying writes nothing and trusts no digest computed earlier.
//   - A crash during a repair leaves the old history or the new one. Damaged files are put
//     aside, never deleted.
//   - Commits are never dropped, so the digests of purged content stay in history.
//
// Elsewhere: replay is internal/chain; damage of the store is found and put aside by
// internal/disk; undoing changes is internal/travel.
package mend
