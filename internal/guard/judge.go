// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// State is what became of a protected file.
type State string

// The states.
const (
	Same    State = "as trusted"
	Changed State = "changed" // its bytes are other ones
	Gone    State = "gone"    // there is no file
	New     State = "new"     // it was never trusted
	Unread  State = "unread"  // it cannot be read, and so not be compared
	Unrest  State = "unrest"  // it is being written at this moment
	Behind  State = "behind"  // it is as trusted, and memory has not read it since

	// Unvouched: no known key signed what is said to be trusted of it.
	Unvouched State = "unvouched"
	// Untrusted: at an earlier moment it held what was never trusted.
	Untrusted State = "untrusted"
)

// Absent stands for the digest of a file that is not there. No bytes are known to
// have it: an empty file has another.
var Absent = merkle.Digest{31: 1}

// Standing is how a protected file stands.
type Standing struct {
	Path     string
	Mode     Mode
	State    State
	File     merkle.Digest // what it holds now; Absent for no file, of an unread one that of Why
	Why      string        // of Unread, Unrest and Unvouched
	Baseline *Baseline     // nil for a file that was never trusted
}

// Locked reports whether the file may not be served.
func (s *Standing) Locked() bool { return s.Mode == Lockdown && s.State != Same }

// Unreviewed reports whether the file is served though nobody looked at it since
// it changed.
func (s *Standing) Unreviewed() bool { return s.Mode == Ask && s.State != Same }

// Alarming reports whether somebody changed the file from outside.
func (s *Standing) Alarming() bool {
	return s.State == Changed || s.State == Gone || s.State == New || s.State == Unread || s.State == Unvouched
}

// Judge compares a file, by its SHA-256, and its nodes in memory, none where there
// are none, with the baseline, nil where there is none.
func Judge(b *Baseline, file merkle.Digest, nodes []*node.Node) State {
	switch {
	case b == nil && file == Absent && len(nodes) == 0:
		return Same
	case b == nil:
		return New
	case file == b.File && b.Holds(nodes):
		return Same
	case file == b.File:
		return Behind
	case file == Absent:
		return Gone
	}
	return Changed
}
