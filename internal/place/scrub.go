// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Scrubbed is what a scrub has read, and found.
type Scrubbed struct {
	Objects int      `json:"objects" jsonschema:"read back"`
	Bytes   int      `json:"bytes" jsonschema:"in them"`
	Damaged []string `json:"damaged" jsonschema:"objects that were gone, or other bytes than were written"`
}

// Scrub reads back this machine's log with the pieces that it names, and compares it with what was
// written. A piece of other bytes is removed: the next push finds out what is not there, and writes all of
// the log again. Errors: those of the place, ErrAway, ErrOther, ErrReplaced.
func (r *Remote) Scrub(ctx context.Context) (*Scrubbed, error) {
	var known pushed
	done := &Scrubbed{Damaged: []string{}}
	if err := cmp.Or(r.same(ctx), vfs.ReadJSON(r.State, pushedFile, &known)); err != nil || known.Sum == "" {
		return done, err
	}
	head := HeadFolder + known.Machine
	names := map[string]bool{head: true}
	known.Head.names(names)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		data, _, err := r.Place.Get(ctx, name)
		sum, isGone := tagOf(data), errors.Is(err, ErrNone)
		switch {
		case err == nil && (sum == known.Sum || strings.HasSuffix(name, sum)):
			done.Objects, done.Bytes = done.Objects+1, done.Bytes+len(data)
			continue
		case err != nil && !isGone && !errors.Is(err, ErrDamaged):
			return done, err
		case name != head && !isGone:
			if err := r.Place.Remove(ctx, name); err != nil {
				return done, err
			}
		}
		done.Damaged = append(done.Damaged, name)
	}
	return done, nil
}
