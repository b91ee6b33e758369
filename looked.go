// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// lookedFile keeps up to where the owner has looked at what agents wrote. It belongs to this
// machine: neither a bundle nor a remote carries it.
const lookedFile = "looked"

// maxLooked is the maximum size of the file in bytes.
const maxLooked = 1 << 20

// Looked says up to where the owner has looked at what agents wrote.
type Looked struct {
	Time time.Time         `json:"time"` // of the last look; zero for never
	UpTo map[string]uint64 `json:"upto"` // the newest commit seen, by scope
}

// looked serializes the changes of the file.
type looked struct{ mu sync.Mutex }

// Looked returns up to where the owner has looked, the zero value for never. Errors: Corrupt (the
// file is damaged; SetLooked writes it anew), Other.
func (m *Memory) Looked() (Looked, error) {
	b, err := m.memex.top.scope.FS.ReadFile(lookedFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Looked{}, nil
	case err != nil:
		return Looked{}, fault.Wrap("looked", lookedFile, fault.Other, err)
	}
	l, err := decodeLooked(b)
	return l, fault.Wrap("looked", lookedFile, fault.Corrupt, err)
}

// decodeLooked reads the file.
func decodeLooked(b []byte) (Looked, error) {
	var l Looked
	if len(b) > maxLooked {
		return l, fmt.Errorf("it has more than %d bytes", maxLooked)
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return Looked{}, fmt.Errorf("it is not JSON: %w", err)
	}
	return l, nil
}

// SetLooked notes up to where the owner has looked at some scopes, durably, and leaves the others
// as they were. Errors: ReadOnly, Other.
func (m *Memory) SetLooked(l Looked) error {
	top := m.memex.top.scope
	m.memex.looked.mu.Lock()
	defer m.memex.looked.mu.Unlock()
	if err := m.memex.top.Writable(); err != nil {
		return fault.Wrap("looked", lookedFile, fault.ReadOnly, err)
	}
	all, err := m.Looked()
	if err != nil && KindOf(err) != Corrupt {
		return err
	}
	if all.UpTo == nil {
		all.UpTo = map[string]uint64{}
	}
	for name, seq := range l.UpTo {
		all.UpTo[name] = seq
	}
	all.Time = l.Time
	b, err := json.Marshal(all)
	if err == nil {
		err = vfs.WriteAtomic(top.FS, lookedFile, b, 0o600)
	}
	return fault.Wrap("looked", lookedFile, fault.Other, err)
}
