// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// ReadInto reads a bundle into a state folder, which is empty or has a part of the same histories.
// memex is the path that a new state folder records, empty for a copy without a memex. After an error
// the folder holds a part. Errors: those of ReadBundle and of scope.OpenCopy.
func ReadInto(ctx context.Context, in vfs.FS, r io.Reader, memex string) (Header, error) {
	return readInto(ctx, in, r, memex, func(Scope) bool { return false })
}

// ReadWhole is ReadInto, but it skips histories that continue from an earlier commit: it only checks
// their blocks.
func ReadWhole(ctx context.Context, in vfs.FS, r io.Reader) (Header, error) {
	return readInto(ctx, in, r, "", func(s Scope) bool { return s.SinceSeq > 0 })
}

func readInto(ctx context.Context, in vfs.FS, r io.Reader, memex string, passes func(Scope) bool) (h Header, err error) {
	lock, err := vfs.TryLock(in, store.LockFile, vfs.Holder{PID: os.Getpid(), Command: "fovea", Since: time.Now()})
	if err != nil {
		return h, err
	}
	var opened []store.Store
	defer func() {
		for _, s := range opened {
			err = errors.Join(err, s.Close())
		}
		err = errors.Join(err, lock.Unlock())
	}()
	return ReadBundle(ctx, r, func(s Scope) (store.Store, error) {
		if passes(s) {
			return nil, checkScope(s.Name)
		}
		at := in
		if s.Name != scope.Memex {
			if err := checkScope(s.Name); err != nil {
				return nil, err
			}
			var err error
			if at, err = vfs.Sub(in, scope.Folder+"/"+scope.FolderOf(s.Name)); err != nil {
				return nil, err
			}
		}
		to, err := scope.OpenCopy(at, memex)
		if err != nil {
			return nil, err
		}
		opened = append(opened, to)
		return to, nil
	})
}

// checkScope refuses sessions, which stay on their machine.
func checkScope(name string) error {
	if name == scope.Memex {
		return nil
	}
	err := scope.CheckName(name)
	if err == nil && name[:len(scope.Project)] != scope.Project {
		err = errors.New("a session stays on its machine")
	}
	if err != nil {
		return fmt.Errorf("scope %q: %w: %w", name, err, ErrBundle)
	}
	return nil
}

// Unpack creates the state folder of a memex. fill writes its content into an empty folder, which
// replaces the state folder only if fill succeeds. Errors: those of fill; Invalid with stores.ErrBegun
// if the state folder has a history; Conflict with vfs.ErrLocked while another Unpack runs; Other.
func Unpack(state string, fill func(in vfs.FS) error) error {
	if stores.Begun(state) {
		return fault.Wrap("clone", state, fault.Invalid, stores.ErrBegun)
	}
	above, err := vfs.CreateDir(filepath.Dir(state), 0o700)
	if err != nil {
		return fault.Wrap("clone", state, fault.Other, err)
	}
	defer above.Close()
	name := filepath.Base(state)
	part, only := name+".part", name+".lock"
	lock, err := vfs.TryLock(above, only, vfs.Holder{PID: os.Getpid(), Command: "fovea clone", Since: time.Now()})
	if err != nil {
		return fault.Errorf("clone", state, fault.Conflict, "another clone is creating it: %w", err)
	}
	defer func() { _ = errors.Join(above.Remove(only), lock.Unlock()) }() // an empty file may remain
	if stores.Begun(state) {                                              // by a clone that ended before
		return fault.Wrap("clone", state, fault.Invalid, stores.ErrBegun)
	}
	err = vfs.RemoveAll(above, part)
	var in vfs.FS
	if err == nil {
		in, err = vfs.Sub(above, part)
	}
	if err == nil {
		err = fill(in)
	}
	if err == nil {
		err = vfs.RemoveAll(above, name) // it has no history
	}
	if err == nil {
		err = errors.Join(above.Rename(part, name), above.SyncDir("."))
	}
	if err != nil {
		return errors.Join(fault.Wrap("clone", state, fault.KindOf(err), err), vfs.RemoveAll(above, part))
	}
	return nil
}

// Histories gives access to the histories of a memory that are carried to other places.
type Histories struct {
	// State is the state folder, which the memory owns.
	State vfs.FS
	// Take returns the present histories, the memex first. Their stores stay open until release is
	// called.
	Take func(ctx context.Context) (sources []Source, release func(), err error)
}
