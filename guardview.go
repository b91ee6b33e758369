// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/node"
)

// Lockdown lists, sorted, the paths of the files that a guarded view omits, because they
// were changed outside Fovea and their owner has not decided yet.
func (v *View) Lockdown() []string { return slices.Sorted(maps.Keys(v.locked)) }

// Unreviewed lists, sorted, the paths of the files that a guarded view shows although
// they were changed outside Fovea and not reviewed.
func (v *View) Unreviewed() []string { return slices.Clone(v.unreviewed) }

// Withhold returns past, a view of an earlier moment, without the files that the guarded
// view of the present omits: files in lockdown are not served from history either. If
// untrusted is set, it also omits files with text that the owner has never trusted, see
// Untrusted. O(bytes of protected files).
func (m *Memory) Withhold(past, guarded *View, untrusted bool) *View {
	locked := maps.Clone(lockedIn(guarded))
	if untrusted {
		for _, path := range m.Untrusted(past) {
			if locked == nil {
				locked = map[string]guard.State{}
			}
			locked[path] = cmp.Or(locked[path], guard.Untrusted)
		}
	}
	if len(locked) == 0 {
		return past
	}
	return without(past, locked, guarded.Unreviewed())
}

// Untrusted lists, sorted, the files of a view that are subject to lockdown and have a text
// that their owner has never trusted, such as a rejected one, or a file that was unreviewed
// at the time. Up to 64 earlier texts of a file count as trusted. O(bytes of protected
// files).
func (m *Memory) Untrusted(v *View) []string {
	book := m.trust().book
	if !book.Initialized() {
		return nil
	}
	var out []string
	for _, path := range stateOf(v).Paths() {
		if m.mode(path) != guard.Lockdown || !m.root.InRegion(path) {
			continue
		}
		if b := book.Baseline(path); b == nil || !b.Trusts(guard.TextOf(stateOf(v).Nodes(path))) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// UntrustedVersion reports whether a version of a node is not the trusted one, in a file
// that is subject to lockdown.
func (m *Memory) UntrustedVersion(n *node.Node) bool {
	if m.mode(n.Path) != guard.Lockdown {
		return false
	}
	b := m.trust().book.Baseline(n.Path)
	return b == nil || !slices.Contains(b.OwnDigests(), n.Own)
}

// guardedView caches a view without the files in lockdown.
type guardedView struct {
	source *View
	key    string
	view   *View
}

// guardedFrom removes the files in lockdown from a view.
func (m *Memory) guardedFrom(v *View, found []guard.FileStatus) *View {
	locked, unreviewed := map[string]guard.State{}, []string(nil)
	var key strings.Builder
	for i := range found {
		s := &found[i]
		switch {
		case s.Locked():
			locked[s.Path] = s.State
			key.WriteString(s.Path + "\x00" + string(s.State) + "\x00")
		case s.Unreviewed():
			unreviewed = append(unreviewed, s.Path)
			key.WriteString("?" + s.Path + "\x00")
		}
	}
	if c := m.cleared.Load(); c != nil && c.source == v && c.key == key.String() {
		return c.view
	}
	out := without(v, locked, unreviewed)
	m.cleared.Store(&guardedView{v, key.String(), out})
	return out
}

// Without returns the view without the documents at some paths.
func (v *View) Without(paths ...string) *View {
	locked := map[string]guard.State{}
	for _, path := range paths {
		locked[path] = guard.Untrusted
	}
	if len(locked) == 0 {
		return v
	}
	return without(v, locked, v.unreviewed)
}

// without returns a view that leaves out locked files, and says which files nobody reviewed.
func without(v *View, locked map[string]guard.State, unreviewed []string) *View {
	draft := v.state.Edit(v.commit.Time.UnixMilli())
	for _, path := range slices.Sorted(maps.Keys(locked)) {
		if _, has := v.state.Document(path); has {
			draft.Drop(path)
		}
	}
	state, delta := draft.Seal()
	out := v.follow(state, &delta, v.commit)
	out.layers, out.whole, out.locked, out.unreviewed = v.layers, v, locked, unreviewed
	return out
}

// lockedDown returns an error if a name that is not found means something in a file in
// lockdown.
func (v *View) lockedDown(op, name string) error {
	if v.whole == nil {
		return nil
	}
	path := name
	if _, is := v.locked[path]; !is {
		n, err := v.whole.Resolve(name)
		if err != nil {
			return nil
		}
		path = n.Path
	}
	state, is := v.locked[path]
	if !is {
		return nil
	}
	return &Error{Op: op, What: path, Kind: Locked, Err: fmt.Errorf("%s; see fovea guard diff", lockReasons[state])}
}

// lockReasons explain why a file is in lockdown.
var lockReasons = map[guard.State]string{
	guard.Changed:      "locked down: the file was changed outside Fovea",
	guard.Gone:         "locked down: the file was removed outside Fovea",
	guard.New:          "locked down: the file came from outside Fovea and was never trusted",
	guard.Unreadable:   "locked down: the file cannot be read, and so not be compared",
	guard.BeingWritten: "locked down: the file is being written",
	guard.Unsigned:     "locked down: no known key signed what is trusted of the file; look at it, then fovea guard adopt it",
	guard.Untrusted:    "locked down: its owner never trusted what the file held then",
	guard.Stale:        "locked down: memory holds another text than the file, which is as trusted",
}
