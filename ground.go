// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
)

// Writable returns nil if the memory can be written, including the open scopes of a
// memex. Otherwise it returns the error of the store, or an error that names the folder or
// file that is no longer where the memory opened it. After a write error the memory must
// be opened again; a moved folder can be put back until the next write. It costs a few
// system calls for each scope.
func (m *Memory) Writable() error {
	s := m.scope.Chain.Store()
	err := s.Err()
	if err == nil {
		err = store.InPlace(s)
	}
	if err != nil || m.scope.Parent != nil {
		return err
	}
	return m.ScopesWritable()
}

// ScopesWritable returns the first error of Writable among the named scopes that are open,
// or all open ones if none is named. The error names the scope.
func (m *Memory) ScopesWritable(names ...string) error {
	x := m.memex
	x.mu.Lock()
	open := maps.Clone(x.open)
	x.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(open)) {
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		if err := open[name].Writable(); err != nil && !errors.Is(err, store.ErrClosed) {
			return fmt.Errorf("%s takes no writes: %w", name, err)
		}
	}
	return nil
}

// InPlace returns nil while the memex and the store are where they were opened. It is
// called before each response, because the owner sees the folder at the path of the
// memex. Errors: Conflict (the memex was moved or replaced, so the memory is that of
// another folder), ReadOnly (files of the store were moved or replaced; the memory is
// complete but cannot be written). A few system calls.
func (m *Memory) InPlace() error {
	if err := m.scope.InPlace("read"); err != nil {
		return err
	}
	return m.scope.StoreInPlace("read")
}

// unwritten returns the error that warns readers of a head that is held in memory only.
func unwritten(s *scope.Scope, op string) error {
	defer s.Chain.Begin().End()
	if s.Chain.Writer().LastStored() == nil {
		return nil
	}
	return fail(op, s.StateDir, ReadOnly, fmt.Errorf("what changed in the folder is read, and not written down: %w", s.Chain.Store().Err()))
}
