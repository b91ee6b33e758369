// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// seenFile records up to which commit the owner has reviewed what agents wrote. It belongs to
// this machine: neither a bundle nor a remote carries it.
const seenFile = "seen"

// maxSeenFile is the maximum size of the file in bytes.
const maxSeenFile = 1 << 20

// Seen is the position up to which the owner has reviewed what agents wrote.
type Seen struct {
	Time time.Time         `json:"time"` // of the last look; zero for never
	UpTo map[string]uint64 `json:"upto"` // the newest commit seen, by scope
}

// OwnerView records what the owner of a memex has seen of the writes of agents. It is safe for
// concurrent use.
type OwnerView struct {
	scope *scope.Scope // of the memex
	mu    sync.Mutex   // held while the file is written
}

// Seen returns the recorded position, the zero value if there is none. Errors: Corrupt (the file is
// damaged; SetSeen replaces it), Other.
func (o *OwnerView) Seen() (seen Seen, err error) {
	b, err := o.scope.FS.ReadFile(seenFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return seen, nil
	case err != nil:
		return seen, fault.Wrap("seen", seenFile, fault.Other, err)
	case len(b) > maxSeenFile:
		return seen, fault.Errorf("seen", seenFile, fault.Corrupt, "it has more than %d bytes", maxSeenFile)
	}
	if err := json.Unmarshal(b, &seen); err != nil {
		return Seen{}, fault.Errorf("seen", seenFile, fault.Corrupt, "it is not JSON: %w", err)
	}
	return seen, nil
}

// SetSeen durably records the position for some scopes, and keeps those of the others. Errors:
// ReadOnly, Other.
func (o *OwnerView) SetSeen(l Seen) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.scope.Chain.Store().Err(); err != nil {
		return fault.Wrap("seen", seenFile, fault.ReadOnly, err)
	}
	all, err := o.Seen()
	if err != nil && fault.KindOf(err) != fault.Corrupt {
		return err
	}
	if all.UpTo == nil {
		all.UpTo = map[string]uint64{}
	}
	maps.Copy(all.UpTo, l.UpTo)
	all.Time = l.Time
	b, err := json.Marshal(all)
	if err == nil {
		err = vfs.WriteAtomic(o.scope.FS, seenFile, b, 0o600)
	}
	return fault.Wrap("seen", seenFile, fault.Other, err)
}
