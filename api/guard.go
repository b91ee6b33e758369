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

// Readable reads the folder first and returns what readers may have, for the owner as well without what
// is locked down: what leaves the memory. A view that others have written after
// is taken anew: what they wrote is not what the view holds, and is no change from
// outside.
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

// View reads the folder first and returns what a caller may see of the present: the owner all of it, since the
// memory itself says what may be done with what is locked down.
func (l *Local) View(ctx context.Context) (*view.View, error) {
	if l.ByOwner(ctx) {
		return synced(ctx, l)
	}
	return l.Readable(ctx)
}

// few is how many of a list a warning names.
const few = 5

// warnGuard names what is left out, and what nobody has looked at.
func warnGuard(l *Local, g *view.View) {
	for _, w := range []struct {
		paths []string
		said  string
	}{
		{g.Lockdown(), "locked down and left out, changed outside Fovea: %s; see fovea guard diff"},
		{g.Unreviewed(), "changed outside Fovea and not reviewed yet: %s; see fovea guard diff"},
	} {
		if len(w.paths) > 0 {
			l.Warn(fmt.Errorf(w.said, scope.First(w.paths, few)))
		}
	}
}

// unreviewed reports whether a node stands in a file that nobody looked at since
// somebody else changed it.
func unreviewed(v *view.View, path string) bool { return slices.Contains(v.Unreviewed(), path) }

// warnTrusted says in one line of a terminal which files were trusted as they were found, and what follows.
func warnTrusted(l *Local) func([]string) {
	return func(paths []string) {
		const room = 22 // for the names of folders, so that the line fits a terminal
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
}
