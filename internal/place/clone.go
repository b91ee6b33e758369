// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Cloned is the result of a clone.
type Cloned struct {
	// Header is the header of the last bundle.
	Header Header
	// Others is the number of other machines with a log there. The clone may lack some of their
	// commits: it chose the newest log by the machines' clocks, which may be wrong.
	Others int
}

// Clone reads the log that was written last, by its machine's clock, into an empty state folder for
// a memex at a path. If it cannot read that log, it tries the one before. After an error the folder
// may hold a part. Errors: ErrNone if no machine has pushed; those of Pull and ReadInto.
func (r *Remote) Clone(ctx context.Context, into vfs.FS, memex string) (Cloned, error) {
	r.State = into // Clone empties it
	heads, problem := r.heads(ctx)
	if len(heads) == 0 {
		if problem == nil {
			problem = fmt.Errorf("no machine has pushed to it: %w", ErrNone)
		}
		return Cloned{}, fmt.Errorf("clone: %w", problem)
	}
	for _, h := range heads {
		last, err := r.readLog(ctx, h, into, memex)
		if err == nil {
			return Cloned{last, len(heads) - 1}, nil
		}
		if ctx.Err() != nil {
			return Cloned{}, ctx.Err()
		}
		if errors.Is(err, ErrNone) {
			err = fmt.Errorf("not all of it has arrived yet: %w", err)
		}
		problem = errors.Join(problem, fmt.Errorf("clone: %s%s: %w", HeadFolder, h.Machine, err))
	}
	return Cloned{}, problem
}

// heads returns the logs that a clone may begin with, newest first, and the errors of the others.
func (r *Remote) heads(ctx context.Context) (all []Head, problem error) {
	if problem = r.readMembers(ctx); problem != nil {
		return nil, problem
	}
	machines, problem := r.machines(ctx)
	for _, machine := range machines {
		h, _, by, err := r.head(ctx, machine)
		if len(by.Agents) > 0 {
			err = fmt.Errorf("%s acts only for agents: %w", by.Name, ErrMember)
		}
		if err != nil {
			problem = errors.Join(problem, err)
		} else {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b Head) int { return b.Time.Compare(a.Time) })
	return all, problem
}

// readLog reads a log into a folder, which it empties first. A machine that pushes meanwhile removes
// the packs that it joins. If a piece is missing, readLog starts again with the new head.
func (r *Remote) readLog(ctx context.Context, h Head, into vfs.FS, memex string) (last Header, err error) {
	for range maxTries {
		if err = empty(into); err == nil {
			last, err = r.apply(ctx, into, memex, nil, h.Packs)
		}
		if !errors.Is(err, ErrNone) {
			break
		}
		again, _, _, herr := r.head(ctx, h.Machine)
		if herr != nil || again.Count == h.Count {
			break
		}
		h = again
	}
	return last, err
}

// empty removes the content of a folder.
func empty(in vfs.FS) error {
	entries, err := in.ReadDir(".")
	for _, e := range entries {
		err = errors.Join(err, vfs.RemoveAll(in, e.Name()))
	}
	return err
}
