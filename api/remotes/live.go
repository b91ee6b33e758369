// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Names lists the remotes of a memory, without asking one.
func Names(m *fovea.Memory) ([]string, error) { return place.Names(m.Histories().State) }

// ErrUnwatched is returned by Watch for a place that tells of nothing.
var ErrUnwatched = errors.New("it cannot be watched")

// Watch calls changed with the name of another machine's log when that has been written, with "" when
// any may have been, and shaken when what is there may not be what was written, until ctx ends. Errors: ErrUnwatched, those of the place.
func Watch(ctx context.Context, m *fovea.Memory, places place.Openers, name string, changed func(machine string), shaken func()) error {
	k, err := read(m, "watch", name)
	if err != nil {
		return err
	}
	p, err := place.Open(ctx, k.URL, places)
	if err != nil {
		return err
	}
	defer p.Close()
	w, ok := p.(place.Watcher)
	if !ok {
		return ErrUnwatched
	}
	return w.Watch(ctx, place.HeadFolder, func(head string) {
		switch head {
		case "":
			shaken()
		case place.HeadFolder + k.Machine:
		default:
			changed(strings.TrimPrefix(head, place.HeadFolder))
		}
	})
}

// IsRepository reports whether a remote is a repository of git, whose host counts pushes.
func IsRepository(m *fovea.Memory, name string) bool {
	k, err := read(m, "watch", name)
	return err == nil && place.IsRepository(k.URL)
}

// scrubEvery is how often what this machine has written to a remote is read back.
const scrubEvery = 24 * time.Hour

// ScrubDue reports whether it is time to do so again.
func ScrubDue(m *fovea.Memory, name string) (isDue bool) {
	in, err := folderOf(m, name)
	if err != nil {
		return false
	}
	noted(in, func(last *met) {
		if last.Scrubbed.IsZero() { // it was written just now
			last.Scrubbed = time.Now().UTC()
		}
		isDue = time.Since(last.Scrubbed) > scrubEvery
	})
	return isDue
}

// metFile says when a remote was met.
const metFile = "met.json"

// met is when a remote was met last, and when it was scrubbed.
type met struct {
	Time     time.Time `json:"time,omitzero"`
	Scrubbed time.Time `json:"scrubbed,omitzero"`
}

// noted returns what is known of that, changed. It is for people, and may be lost.
func noted(in vfs.FS, change func(*met)) (last met) {
	_ = vfs.ReadJSON(in, metFile, &last)
	was := last
	if change(&last); last != was {
		_ = vfs.WriteJSON(in, metFile, last)
	}
	return last
}
