// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// State is the state of a protected file relative to its baseline.
type State string

// The states.
const (
	Same         State = "as trusted"
	Changed      State = "changed" // the bytes differ
	Gone         State = "gone"    // the file is missing
	New          State = "new"     // the file was never trusted
	Unreadable   State = "unread"  // the file cannot be read and compared
	BeingWritten State = "unrest"  // the file is being written right now
	Stale        State = "behind"  // the file is as trusted, but memory has not read it since

	// Unsigned means that no known key signed the baseline.
	Unsigned State = "unvouched"
	// Untrusted means that a past version of the file was never trusted.
	Untrusted State = "untrusted"
)

// Absent is the digest of a missing file. No bytes are known to have it; an empty file
// has another digest.
var Absent = merkle.Digest{31: 1}

// FileStatus is the state of one protected file.
type FileStatus struct {
	Path     string
	Mode     Mode
	State    State
	File     merkle.Digest // current digest; Absent if there is no file, and that of Why if Unreadable
	Why      string        // reason of Unreadable, BeingWritten and Unsigned
	Baseline *Baseline     // nil if the file was never trusted
}

// Locked reports whether the file may not be served.
func (s *FileStatus) Locked() bool { return s.Mode == Lockdown && s.State != Same }

// Unreviewed reports whether the file is served although its change is not reviewed.
func (s *FileStatus) Unreviewed() bool { return s.Mode == Ask && s.State != Same }

// ChangedOutside reports whether the file was changed outside Fovea.
func (s *FileStatus) ChangedOutside() bool {
	return s.State == Changed || s.State == Gone || s.State == New || s.State == Unreadable || s.State == Unsigned
}

// Compare returns the state of a file with the given SHA-256 and nodes in memory, both
// possibly absent, relative to its baseline, which may be nil.
func Compare(b *Baseline, file merkle.Digest, nodes []*node.Node) State {
	switch {
	case b == nil && file == Absent && len(nodes) == 0:
		return Same
	case b == nil:
		return New
	case file == b.File && b.Matches(nodes):
		return Same
	case file == b.File:
		return Stale
	case file == Absent:
		return Gone
	}
	return Changed
}
