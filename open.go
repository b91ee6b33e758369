// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// openFolder takes the lock of a memex and opens its state folder.
func (x *memex) openFolder(ctx context.Context) error {
	s := x.top.scope
	s.FS = s.Options.Store
	if s.FS == nil {
		if s.Options.StateDir == "" {
			return fail("open", s.Dir, Invalid, errors.New("no state folder: set Options.StateDir"))
		}
		s.StateDir = s.Options.StateDir
		if err := x.findHistory(); err != nil {
			return err
		}
		folder, err := disk.OpenFolder(s.StateDir)
		if vfs.Unwritable(err) {
			return fail("open", s.StateDir, ReadOnly, fmt.Errorf("%w; let this user read and write there, or name another place with MEMORY_SNAPSHOT_PATH", err))
		}
		if err != nil {
			return fail("open", s.StateDir, Invalid, err)
		}
		s.FS = folder
	}
	if err := s.CheckKinds("open"); err != nil {
		return err
	}
	var err error
	if x.lock, err = scope.TakeLock(ctx, &s.Options, s.FS); err != nil && !vfs.Unwritable(err) {
		return fail("open", s.StateDir, scope.LockKind(err), err)
	}
	if err = cmp.Or(err, vfs.MayWrite(s.FS)); err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		s.Unwritable = fmt.Errorf("the state folder cannot be written: %w; give this user the right to write there, or mount its disk for writing", err)
	}
	if s.Options.Adopt {
		if err := stores.Adopt(s.FS, s.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fail("open", s.StateDir, scope.OpenKind(err), err)
		}
	}
	return nil
}

// openChain opens the store of a scope and loads its chain.
func (x *memex) openChain(ctx context.Context, m *Memory) error {
	opened, err := x.openHistory(m.scope)
	if err != nil {
		if errors.Is(err, disk.ErrOtherMemex) {
			err = fmt.Errorf("%w; after moving the folder, run fovea adopt", err)
		}
		return err
	}
	m.scope.Chain = newChain(m, opened)
	if err := recoverChain(ctx, m); err != nil {
		return err
	}
	m.folder.LoadTable()
	m.folder.PublishStatus()
	return nil
}

// openHistory opens the store. Without the lock another process may be writing, and a
// half-written record looks like damage; opening is then retried.
func (x *memex) openHistory(in *scope.Scope) (store.Store, error) {
	const looks = 5
	for look := 1; ; look++ {
		s, err := openStore(in)
		if x.lock != nil || in.Parent != nil || look == looks || err == nil && store.RecoveryOf(s).Corrupt == nil {
			return s, err
		}
		if err == nil {
			err = s.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// openStore opens the store of a scope.
func openStore(s *scope.Scope) (store.Store, error) {
	return s.OpenStore(s.FS, storeOptions(s))
}

// storeOptions returns the options of the store of a memex, or of a scope, which shares the
// folder and the lock of its memex.
func storeOptions(s *scope.Scope) *disk.Options {
	opts := &disk.Options{Memex: s.Dir, Relaxed: s.Options.Relaxed, InPlace: s.Root.InPlace, ReadOnly: s.Memex().Unwritable}
	if s.Parent != nil {
		opts.Owned = func() error { return store.Owned(s.Parent.Chain.Store()) }
		opts.InPlace = func() error { return store.InPlace(s.Parent.Chain.Store()) }
	}
	return opts
}

// releaseFolder closes what openFolder opened, and the folder.
func (x *memex) releaseFolder() error {
	s := x.top.scope
	if s.FS != nil && s.Options.Store == nil {
		defer s.FS.Close()
	}
	var errs []error
	if x.lock != nil {
		errs = append(errs, x.lock.Unlock())
	}
	return errors.Join(append(errs, s.Root.Close())...)
}

// withHistory adds to the error of a missing memex folder how to restore its notes, if the
// state folder has their history.
func withHistory(err error, state string) error {
	if !errors.Is(err, corpus.ErrNoFolder) || state == "" || !stores.Begun(state) {
		return err
	}
	return fmt.Errorf("%w; its history is kept: make the folder and run fovea restore --missing, or, if it was moved, run fovea adopt in its new place", err)
}
