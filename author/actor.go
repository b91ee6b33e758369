// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Actor is an author together with its rights. They are one value, so that no operation
// uses the name of an agent without the rights of that agent.
type Actor struct {
	// Author is recorded in commits. An agent cannot write protected files or files
	// with several hard links, and its text must not act in Emacs or Org: each changed
	// node is parsed in its final form and must not contain a new active construct.
	// Otherwise the error is Invalid.
	Author Author
	// Vouched reports that a token proves the author; otherwise the caller asserts it.
	// Commits record this, see fovea.Commit.
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
	// with Conflict if the claim is no longer in force.
	Claim Claim
	// AcceptedBy, if not "", names the one who accepted the author's proposal. Commits name both.
	AcceptedBy string
}

// Claim identifies the claim of a task under which an actor writes. The zero Claim means none.
type Claim struct {
	Task   string // the id of the task
	Number uint64 // the number that claiming it returned
}

// ErrClaim is returned for a text that is not a claim.
var ErrClaim = errors.New("a claim is written TASK:NUMBER, with the id of the task and the number that claiming it returned")

// ParseClaim parses the printed form TASK:NUMBER; "" is no claim. Errors: ErrClaim.
func ParseClaim(text string) (Claim, error) {
	if text == "" {
		return Claim{}, nil
	}
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return Claim{}, fmt.Errorf("claim %q: %w", text, ErrClaim)
	}
	n, err := strconv.ParseUint(text[i+1:], 10, 64)
	if err != nil || n == 0 {
		return Claim{}, fmt.Errorf("claim %q: %w", text, ErrClaim)
	}
	return Claim{Task: text[:i], Number: n}, nil
}

// String returns the printed form, "" for the zero Claim.
func (c Claim) String() string {
	if c == (Claim{}) {
		return ""
	}
	return c.Task + ":" + strconv.FormatUint(c.Number, 10)
}
