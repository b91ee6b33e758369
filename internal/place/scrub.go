// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Scrubbed is what a scrub has read, and found.
type Scrubbed struct {
	Pieces  int      `json:"pieces" jsonschema:"read back"`
	Bytes   uint64   `json:"bytes" jsonschema:"in them"`
	Damaged []string `json:"damaged" jsonschema:"objects that were gone, or other bytes than were written"`
}

// Scrub reads back what this machine's log names, and compares it with what was written. A piece of
// other bytes is removed: the next push finds out what is not there, and writes all of the log again.
// Errors: those of the place, ErrAway, ErrOther, ErrReplaced.
func (r *Remote) Scrub(ctx context.Context) (done Scrubbed, err error) {
	done.Damaged = []string{}
	if err := r.same(ctx); err != nil {
		return done, fmt.Errorf("scrub: %w", err)
	}
	var known pushed
	if err := vfs.ReadJSON(r.State, pushedFile, &known); err != nil {
		return done, fmt.Errorf("scrub: %w", err)
	}
	if known.Sum != "" {
		data, _, err := r.Place.Get(ctx, HeadFolder+known.Machine)
		if err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, ErrDamaged) {
			return done, fmt.Errorf("scrub: %w", err)
		}
		if err != nil || tagOf(data) != known.Sum {
			done.Damaged = append(done.Damaged, HeadFolder+known.Machine)
		}
	}
	for _, pack := range known.Head.Packs {
		for _, piece := range pack.Pieces {
			_, err := r.piece(ctx, pack, piece)
			name := pack.object(piece)
			switch {
			case err == nil:
				done.Pieces, done.Bytes = done.Pieces+1, done.Bytes+piece.Size
				continue
			case errors.Is(err, ErrDamaged):
				err = r.Place.Remove(ctx, name)
			case errors.Is(err, ErrNone):
				err = nil
			}
			if err != nil {
				return done, fmt.Errorf("scrub: %w", err)
			}
			done.Damaged = append(done.Damaged, name)
		}
	}
	return done, nil
}
