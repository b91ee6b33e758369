// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/view"
)

// Readable reads the folder and returns a view without locked files, for the owner too: for all that leaves the
// memory. If others wrote since, it takes a new view, so that their writes do not look like changes from outside.
func (l *Local) Readable(ctx context.Context) (*view.View, error) {
	v, err := synced(ctx, l)
	if err != nil {
		return nil, err
	}
	var g, seen *view.View
	for tries := 0; tries < 4 && seen != v; tries++ {
		seen = v
		if g, err = l.Memex.Guard().View(ctx, v); err != nil {
			return nil, err
		}
		if len(g.Lockdown()) == 0 {
			break
		}
		if v, err = overlaid(ctx, l); err != nil {
			return nil, err
		}
	}
	warnGuard(l, g)
	return g, nil
}

// View reads the folder and returns what the caller may see. The owner sees everything; the memory itself
// checks what may be done with locked files.
func (l *Local) View(ctx context.Context) (*view.View, error) {
	if l.ByOwner(ctx) {
		return synced(ctx, l)
	}
	return l.Readable(ctx)
}

// few is the number of items that a warning names.
const few = 5

// warnGuard warns which files are left out, and which nobody has reviewed.
func warnGuard(l *Local, g *view.View) {
	for _, w := range []struct {
		paths []string
		text  string
	}{
		{g.Lockdown(), "locked down and left out because they were changed outside Fovea: %s; see fovea guard diff"},
		{g.Unreviewed(), "changed outside Fovea and not reviewed yet: %s; see fovea guard diff"},
	} {
		if len(w.paths) > 0 {
			l.Warn(fmt.Errorf(w.text, scope.First(w.paths, few)))
		}
	}
}

// unreviewed reports whether a file was changed outside Fovea and not reviewed.
func unreviewed(v *view.View, path string) bool { return slices.Contains(v.Unreviewed(), path) }

// warnTrusted warns how many files were trusted as found, and in which folders, in one line of a terminal.
func (l *Local) warnTrusted(paths []string) {
	const room = 22 // for the names of folders
	var folders []string
	for _, path := range paths {
		top, _, below := strings.Cut(path, "/")
		if below {
			top += "/"
		}
		if !slices.Contains(folders, top) {
			folders = append(folders, top)
		}
	}
	names := text.Truncate(strings.Join(folders, ", "), room)
	l.Warn(fmt.Errorf("%s: %s trusted; a change waits for fovea guard", names, scope.Count(len(paths), "file")))
}
