// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package gitref is a place in the refs of a git repository, for people who have a repository
// that all their machines reach and no server of their own. [Open] opens such a place with the git of this
// machine, and the credentials that it finds.
//
// Each object is a ref to a commit without parents, whose tree has one file: the object. A tag is the
// name of the commit, and an object is replaced under it alone, by a push with a lease.
//
// Invariants:
//
//   - No commit tells who wrote it and when; each is another one, so that a tag never comes back.
//   - No hook, no signature and no prompt of git runs. An object that a server sends is bounded and checked.
//     The host decides how long its list of refs is, and git reads it whole.
//   - What was read or written stays in a folder of this process until the place is closed.
//   - Of the repository, only the refs of the memory are read and written.
//
// Elsewhere: what the objects are (package place). What a host keeps of a ref that was removed is
// out of reach, see doc/fleet.md.
package gitref
