// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes

import (
	"context"
	"errors"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Names lists the remotes of a memory, without asking one.
func Names(m *fovea.Memory) ([]string, error) { return place.Names(m.Histories().State) }

// ErrUnwatched is returned by Watch for a place that tells of nothing.
var ErrUnwatched = errors.New("it cannot be watched")

// Watch calls changed when another machine has written to a remote, and once at the start, when it
// begins to hear of that, until ctx ends. Errors: ErrUnwatched, those of the place.
func Watch(ctx context.Context, m *fovea.Memory, places place.Openers, name string, changed func()) error {
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
		if head != place.HeadFolder+k.Machine {
			changed()
		}
	})
}

// IsPatient reports whether a remote is a place that is written to at most once a minute unless
// somebody asks: a host of repositories counts pushes.
func IsPatient(m *fovea.Memory, name string) bool {
	k, err := read(m, "watch", name)
	return err == nil && place.IsRepository(k.URL)
}

// metFile has when a remote was last met.
const metFile = "met.json"

// met is when a remote was last met.
type met struct {
	Time time.Time `json:"time"`
}

// meet notes that a remote was met. It is for people: a power cut may lose it.
func meet(in vfs.FS) { _ = vfs.WriteJSON(in, metFile, met{time.Now().UTC()}) }

// lastMet is when a remote was last met, the zero time for never.
func lastMet(in vfs.FS) time.Time {
	var last met
	_ = vfs.ReadJSON(in, metFile, &last) // likewise
	return last.Time
}
