// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
)

// storeOptions returns the options of the store of a memex, or of a scope, which shares the
// folder and the lock of its memex.
func (m *Memory) storeOptions() *disk.Options {
	opts := &disk.Options{Memex: m.dir, Relaxed: m.opts.Relaxed, InPlace: m.root.InPlace, ReadOnly: m.memex().unwritable}
	if m.parent != nil {
		opts.Owned = func() error { return store.Owned(m.parent.chain.Store()) }
		opts.InPlace = func() error { return store.InPlace(m.parent.chain.Store()) }
	}
	return opts
}

// Writable returns nil if the memory can be written, including the open scopes of a
// memex. Otherwise it returns the error of the store, or an error that names the folder or
// file that is no longer where the memory opened it. After a write error the memory must
// be opened again; a moved folder can be put back until the next write. It costs a few
// system calls for each scope.
func (m *Memory) Writable() error {
	s := m.chain.Store()
	err := s.Err()
	if err == nil {
		err = store.InPlace(s)
	}
	if err != nil || m.parent != nil {
		return err
	}
	return m.ScopesWritable()
}

// ScopesWritable returns the first error of Writable among the named scopes that are open,
// or all open ones if none is named. The error names the scope.
func (m *Memory) ScopesWritable(names ...string) error {
	top := m.memex()
	top.scopes.mu.Lock()
	open := maps.Clone(top.scopes.open)
	top.scopes.mu.Unlock()
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
	if err := m.inPlace("read"); err != nil {
		return err
	}
	return m.storeInPlace("read")
}

// inPlace returns an error if the path of the memex now leads to another folder.
func (m *Memory) inPlace(op string) error {
	return fail(op, m.dir, Conflict, m.root.InPlace())
}

// storeInPlace is InPlace for the store alone.
func (m *Memory) storeInPlace(op string) error {
	err := store.InPlace(m.chain.Store())
	if errors.Is(err, corpus.ErrReplaced) || errors.Is(err, store.ErrClosed) {
		return nil
	}
	return fail(op, m.state, ReadOnly, err)
}

// isHeadUnstored reports whether changes of the folder are held in memory only: the store
// cannot be written, or its history is missing.
func (m *Memory) isHeadUnstored() bool {
	return m.chain.Store().Err() != nil && (m.memex().unwritable != nil || m.chain.Head().Commit.Seq == 0)
}

// unwritten returns the error that warns readers of a head that is held in memory only.
func (m *Memory) unwritten(op string) error {
	defer m.chain.Begin().End()
	if m.chain.Writer().LastStored() == nil {
		return nil
	}
	return fail(op, m.state, ReadOnly, fmt.Errorf("what changed in the folder is read, and not written down: %w", m.chain.Store().Err()))
}
