// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/guard"
)

// Lockdown lists the paths of the files that a guarded view is without, sorted:
// somebody else changed them, and their owner has not decided about that.
func (v *View) Lockdown() []string { return sortedKeys(v.locked) }

// Unreviewed lists the paths of the files that a guarded view shows though somebody
// else changed them and nobody has looked, sorted.
func (v *View) Unreviewed() []string { return slices.Clone(v.unreviewed) }

// Withhold returns v, as it was at some moment, without the files that a guarded
// view is without: what is locked down now is not served from history either.
func (v *View) Withhold(guarded *View) *View {
	if len(guarded.locked) == 0 {
		return v
	}
	return v.without(guarded.locked, guarded.unreviewed)
}

// without makes the guarded view.
func (v *View) without(locked map[string]guard.State, unreviewed []string) *View {
	draft := v.state.Edit(v.commit.Time.UnixMilli())
	for _, path := range sortedKeys(locked) {
		if _, has := v.state.Document(path); has {
			draft.Drop(path)
		}
	}
	state, delta := draft.Seal()
	out := v.follow(state, &delta, v.commit)
	out.layers, out.whole, out.locked, out.unreviewed = v.layers, v, locked, unreviewed
	return out
}

// lockedDown returns an error that says that a name means something that is locked
// down, nil where it does not. To be asked where the name means nothing else.
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
	return &Error{Op: op, What: path, Kind: Locked, Err: fmt.Errorf("%s; see fovea guard diff", lockedWords[state])}
}

// lockedWords say why a file is locked down.
var lockedWords = map[guard.State]string{
	guard.Changed:   "locked down: the file was changed outside Fovea",
	guard.Gone:      "locked down: the file was removed outside Fovea",
	guard.New:       "locked down: the file came from outside Fovea and was never trusted",
	guard.Unread:    "locked down: the file cannot be read, and so not be compared",
	guard.Unrest:    "locked down: the file is being written",
	guard.Unvouched: "locked down: no known key signed what is trusted of the file; look at it, then fovea guard adopt it",
	guard.Behind:    "locked down: memory holds another text than the file, which is as trusted",
}
