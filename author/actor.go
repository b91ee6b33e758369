// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

// Actor performs operations: an author together with its rights. It is one value, so
// that no operation uses the name of an agent without that agent's rights.
type Actor struct {
	// Author is recorded in commits. An agent cannot write protected files or files
	// with several hard links, and its text must not act in Emacs or Org: each changed
	// node is parsed in its final form and may contain no active construct that it did
	// not contain before. Otherwise the error is Invalid.
	Author Author
	// Vouched reports that a token proves the author; otherwise the caller asserts it.
	// Commits record it, see fovea.Commit.
	Vouched bool
	// May returns nil if the author may change the path below the memex, else the
	// reason. It is called for each file that a write changes, with the given path and
	// with the target of its links, and again just before the file changes. It runs
	// while the memory is locked and must not use the memory. If it is nil, an agent
	// cannot commit (Denied), and any other author may change every file.
	May func(path string) error
	// Renames allows an agent to reuse the name of an existing snapshot, which moves
	// the name to another state.
	Renames bool
	// Session is recorded in commits.
	Session string
	// Claim, if not zero, is the claim of a task under which the author works. A write fails
	// with Conflict once the claim is not in force any more.
	Claim Claim
	// AcceptedBy, if not "", is who accepted what the author proposed. Commits name both.
	AcceptedBy string
}
