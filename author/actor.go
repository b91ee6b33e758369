// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

// Actor is who performs operations, and what it may do. It is one value, so that nothing
// acts in the name of an agent without the rights that go with the name.
type Actor struct {
	// Author stands in the commits. An agent writes no protected file and none with
	// several names (hard links), and what it writes must do nothing in Emacs or Org: each
	// node that it changes is parsed as it is to stand, and may hold nothing that acts but
	// what it held before. Such a text is Invalid.
	Author Author
	// Vouched says that a token stands for the author; else the caller says who it is.
	// Commits record it, see fovea.Commit.
	Vouched bool
	// May returns nil for a path below the memex that the author may change, else why not.
	// It is asked for each file that a write would change, by the path that was named and
	// by the one that links lead to, and again just before the file changes. It is called
	// while the memory is locked, so it must not use the memory. An agent without it
	// makes no commit (Denied); anybody else without it may change every file.
	May func(path string) error
	// Renames lets an agent give the name of another state's snapshot to a new one, which
	// brings whoever kept that state to this one.
	Renames bool
	// Session stands in the commits.
	Session string
	// Op makes an operation one that is done once: what is written under an op that the
	// history has is not done again but answered as the first time. Without it each
	// operation is its own.
	Op string
}
