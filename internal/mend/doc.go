// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package mend verifies a memory, repairs a damaged one, and drops content from history.
//
// [Mender] belongs to one scope. [Mender.Verify] computes everything again from the bytes;
// [Mender.Repair] keeps everything that verifies and records the losses; [Mender.Purge] and
// [Mender.Retain] permanently drop content, by a commit that records it.
//
// Invariants:
//   - Verifying writes nothing and trusts no digest computed earlier.
//   - A crash during a repair leaves the old history or the new one. Damaged files are put
//     aside, never deleted.
//   - Commits are never dropped, so the digests of purged content stay in history.
//
// Elsewhere: internal/chain replays history; internal/disk finds damage of the store and puts it
// aside; internal/travel undoes changes.
package mend
