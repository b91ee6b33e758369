// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// The values of Change.What.
const (
	Added    = "added"
	Removed  = "removed"
	Modified = "changed"
	Moved    = "moved" // same bytes at another place
)

// Change is the change of one part of a file: a headline, a src block, or the document itself.
type Change struct {
	What  string `json:"what" jsonschema:"added, removed, changed or moved"`
	Kind  string `json:"kind" jsonschema:"document, headline or block"`
	Where string `json:"where" jsonschema:"titles from the top down"`                 // the former place of a removed part
	Text  string `json:"text,omitempty" jsonschema:"a unified diff of its own bytes"` // made by package api

	Was, Now string `json:"-"` // the bytes before and after; "" if none or unknown
}

// partKey identifies a part of a file: the nth of its kind at its place.
type partKey struct {
	kind, where string
	n           int
}

// Diff returns the changes of the parts of a file. It pairs parts by place first and the
// remaining ones by bytes. Changes are in the order of the current parts, and each
// removed part follows its former predecessor. Equal files have no changes. O(n log n)
// in the number of parts.
func Diff(was, now []Part) []Change {
	old := map[partKey]int{}
	for j, key := range keys(was) {
		old[key] = j
	}
	pair := make([]int, len(now)) // the part of was, -1 for none
	paired := make([]bool, len(was))
	for i, key := range keys(now) {
		pair[i] = -1
		if j, ok := old[key]; ok {
			pair[i], paired[j] = j, true
		}
	}
	byBytes := map[merkle.Digest][]int{}
	for j, p := range was {
		if !paired[j] {
			byBytes[p.Digest] = append(byBytes[p.Digest], j)
		}
	}
	for i, p := range now {
		if left := byBytes[p.Digest]; pair[i] < 0 && len(left) > 0 {
			pair[i], paired[left[0]], byBytes[p.Digest] = left[0], true, left[1:]
		}
	}
	return describePairs(was, now, pair, paired)
}

// describePairs returns the changes for pairs that differ and for unpaired parts.
func describePairs(was, now []Part, pair []int, paired []bool) []Change {
	inOrder := maxRun(pair)
	var out []Change
	next := 0 // of the parts of was that were removed
	listRemoved := func(end int) {
		for ; next < end; next++ {
			if p := was[next]; !paired[next] {
				out = append(out, Change{What: Removed, Kind: p.Kind, Where: p.Where, Was: p.Text})
			}
		}
	}
	for i, p := range now {
		j := pair[i]
		if j < 0 {
			out = append(out, Change{What: Added, Kind: p.Kind, Where: p.Where, Now: p.Text})
			continue
		}
		if inOrder[i] {
			listRemoved(j)
		}
		switch q := was[j]; {
		case q.Digest != p.Digest:
			out = append(out, Change{What: Modified, Kind: p.Kind, Where: p.Where, Was: q.Text, Now: p.Text})
		case !inOrder[i], q.Where != p.Where:
			out = append(out, Change{What: Moved, Kind: p.Kind, Where: p.Where, Was: q.Text, Now: p.Text})
		}
	}
	listRemoved(len(was))
	return out
}

// keys returns the keys of parts, in order.
func keys(parts []Part) []partKey {
	count := map[partKey]int{}
	out := make([]partKey, len(parts))
	for i, p := range parts {
		place := partKey{kind: p.Kind, where: p.Where}
		out[i] = partKey{p.Kind, p.Where, count[place]}
		count[place]++
	}
	return out
}

// maxRun marks the longest increasing subsequence of pairs, which kept their order; the
// other pairs moved.
func maxRun(pair []int) []bool {
	inOrder := make([]bool, len(pair))
	var places, paired []int
	for i, j := range pair {
		if j >= 0 {
			places, paired = append(places, i), append(paired, j)
		}
	}
	for _, k := range text.Increasing(paired) {
		inOrder[places[k]] = true
	}
	return inOrder
}

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

// FileStatus is the status of one protected file.
type FileStatus struct {
	Path     string
	Mode     Mode
	State    State
	File     merkle.Digest // current digest; Absent if there is no file, the digest of Why if Unreadable
	Why      string        // reason of Unreadable, BeingWritten and Unsigned
	Baseline *Baseline     // nil if the file was never trusted
}

// Locked reports whether the file may not be served.
func (s *FileStatus) Locked() bool { return s.Mode == Lockdown && s.State != Same }

// Unreviewed reports whether the file is served although its change was not reviewed.
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
