// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// folder is a place in a folder on a disk or in one that a sync program copies. It ignores files
// with other names, such as conflict copies.
type folder struct {
	in    vfs.FS
	swept *sync.Map // folders that were cleaned up after a crash
}

// OpenFolder opens the place in a folder, and creates a missing folder.
func OpenFolder(name string) (Place, error) {
	dir, err := vfs.CreateDir(name, 0o700)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	return folder{vfs.Plain(dir), new(sync.Map)}, nil
}

func (f folder) Get(_ context.Context, name string) ([]byte, string, error) {
	if err := CheckObject(name); err != nil {
		return nil, "", err
	}
	info, err := f.in.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: %w", name, ErrNone)
	}
	if err == nil && info.Size() > MaxObject {
		err = fmt.Errorf("%s has %d bytes, more than %d: %w", name, info.Size(), MaxObject, ErrDamaged)
	}
	if err != nil {
		return nil, "", err
	}
	data, err := f.in.ReadFile(name)
	return data, tagOf(data), err
}

func (f folder) Put(ctx context.Context, name, tag string, data []byte) error {
	if err := CheckObject(name); err != nil {
		return err
	}
	if dir := path.Dir(name); dir != "." {
		if err := errors.Join(f.in.MkdirAll(dir, 0o700), f.in.SyncDir(".")); err != nil {
			return err
		}
	}
	if tag == "" {
		staged, err := vfs.Stage(f.in, name, 0o600, nil, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err == nil {
			if _, before := f.swept.LoadOrStore(path.Dir(name), true); !before {
				staged.RemoveOld()
			}
			err = staged.Create()
		}
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w", name, ErrChanged)
		}
		return err
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, now, err := f.Get(ctx, name); err != nil && !errors.Is(err, ErrNone) {
		return err
	} else if now != tag {
		return fmt.Errorf("%s: %w", name, ErrChanged)
	}
	return vfs.WriteAtomic(f.in, name, data, 0o600)
}

// lockName is not a valid object name. The file stays empty, so that sync programs see no conflict.
const lockName = ".lock"

// lock excludes other processes of this machine, such as a fovea remote serve without its client,
// from replacing an object. On a file system without locks it does nothing.
func (f folder) lock(ctx context.Context) (unlock func(), err error) {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		held, err := f.in.Lock(lockName)
		switch {
		case err == nil:
			return func() { _ = held.Close() }, nil
		case !errors.Is(err, vfs.ErrLocked):
			return func() {}, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(wait):
		}
	}
}

func (f folder) List(_ context.Context, prefix string) ([]string, error) {
	dir, _ := path.Split(prefix)
	entries, err := vfs.Entries(f.in, path.Clean(dir))
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, dir+e.Name())
		}
	}
	return Objects(names, prefix), err
}

func (f folder) Remove(_ context.Context, name string) error {
	if err := CheckObject(name); err != nil {
		return err
	}
	return vfs.RemoveIfThere(f.in, name)
}

func (f folder) Close() error { return f.in.Close() }
