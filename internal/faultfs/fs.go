// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// FS is a file system in memory. It implements vfs.FS and is safe for
// concurrent use. Make one with New.
type FS struct {
	mu      sync.Mutex
	root    *inode
	pending []change // of names, oldest first, that no SyncDir has saved
	locks   map[string]bool
	hook    func(Op) error
	ops     int
	before  int // operations of those it is a copy of
	free    int64
}

var _ vfs.FS = (*FS)(nil)

// inode is a file or a folder.
type inode struct {
	mode  fs.FileMode
	mtime time.Time

	kids        map[string]*inode // of a folder, as seen now
	durableKids map[string]*inode // as a crash leaves them at least

	data    []byte // of a file, as seen now
	durable []byte
	pending []write // from durable to data, oldest first
}

// change is one operation on names; its entries are saved together.
type change []entry

// entry sets a name of a folder, or removes it when the inode is nil.
type entry struct {
	folder *inode
	name   string
	to     *inode
}

// New returns an empty file system.
func New() *FS {
	return &FS{root: newFolder(0o700), locks: map[string]bool{}, free: -1}
}

func newFolder(perm fs.FileMode) *inode {
	return &inode{mode: fs.ModeDir | perm.Perm(), kids: map[string]*inode{}, durableKids: map[string]*inode{}}
}

// find returns the inode of a name. f.mu is held.
func (f *FS) find(name string) (*inode, error) {
	clean := path.Clean(name)
	if !fs.ValidPath(clean) {
		return nil, errors.New("path escapes from parent")
	}
	at := f.root
	if clean == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(clean, "/") {
		if !at.mode.IsDir() {
			return nil, vfs.ErrNotFolder
		}
		next, ok := at.kids[part]
		if !ok {
			return nil, fs.ErrNotExist
		}
		at = next
	}
	return at, nil
}

// parent returns the folder that a name is in, and the last part.
func (f *FS) parent(name string) (*inode, string, error) {
	if path.Clean(name) == "." {
		return nil, "", fs.ErrInvalid
	}
	folder, err := f.find(path.Dir(path.Clean(name)))
	if err == nil && !folder.mode.IsDir() {
		err = vfs.ErrNotFolder
	}
	return folder, path.Base(name), err
}

// apply makes a change of names that a crash may lose.
func (f *FS) apply(c change) {
	for _, e := range c {
		e.in(e.folder.kids)
	}
	f.pending = append(f.pending, c)
}

func (e entry) in(kids map[string]*inode) {
	if e.to == nil {
		delete(kids, e.name)
	} else {
		kids[e.name] = e.to
	}
}

// now is a clock that ticks with each operation, and goes on in copies.
func (f *FS) now() time.Time {
	return time.Unix(1_700_000_000, 0).Add(time.Duration(f.before+f.ops) * time.Millisecond)
}

// do runs one operation below the lock and wraps its error.
func (f *FS) do(kind Kind, name string, run func() error) error {
	err := f.begin(kind, name)
	if err == nil {
		f.mu.Lock()
		err = run()
		f.mu.Unlock()
	}
	if err != nil {
		return &fs.PathError{Op: string(kind), Path: name, Err: err}
	}
	return nil
}

// OpenFile implements vfs.FS.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	var opened *file
	err := f.do(OpOpen, name, func() error {
		node, err := f.find(name)
		switch {
		case err == nil && flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
			return fs.ErrExist
		case err == nil && node.mode.IsDir():
			return errors.New("is a folder")
		case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
			folder, base, err := f.parent(name)
			if err != nil {
				return err
			}
			node = &inode{mode: perm.Perm(), mtime: f.now()}
			f.apply(change{{folder, base, node}})
		case err != nil:
			return err
		}
		if flag&os.O_TRUNC != 0 && len(node.data) > 0 {
			f.resize(node, 0)
		}
		opened = &file{in: f, node: node, name: name, flag: flag}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// ReadFile implements vfs.FS.
func (f *FS) ReadFile(name string) ([]byte, error) {
	file, err := f.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// Stat implements vfs.FS.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	var found fs.FileInfo
	err := f.do(OpStat, name, func() error {
		node, err := f.find(name)
		if err == nil {
			found = f.describe(node, name)
		}
		return err
	})
	return found, err
}

// Lstat implements vfs.FS.
func (f *FS) Lstat(name string) (fs.FileInfo, error) { return f.Stat(name) }

// ReadLink implements vfs.FS; there are no symbolic links.
func (f *FS) ReadLink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

// ReadDir implements vfs.FS.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	err := f.do(OpReadDir, name, func() error {
		node, err := f.find(name)
		if err != nil {
			return err
		}
		if !node.mode.IsDir() {
			return vfs.ErrNotFolder
		}
		for _, base := range slices.Sorted(maps.Keys(node.kids)) {
			list = append(list, fs.FileInfoToDirEntry(node.kids[base].info(base)))
		}
		return nil
	})
	return list, err
}

// MkdirAll implements vfs.FS.
func (f *FS) MkdirAll(name string, perm fs.FileMode) error {
	return f.do(OpMkdir, name, func() error { return f.mkdirAll(path.Clean(name), perm) })
}

func (f *FS) mkdirAll(name string, perm fs.FileMode) error {
	node, err := f.find(name)
	switch {
	case err == nil && node.mode.IsDir():
		return nil
	case err == nil:
		return vfs.ErrNotFolder
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := f.mkdirAll(path.Dir(name), perm); err != nil {
		return err
	}
	folder, base, err := f.parent(name)
	if err == nil {
		f.apply(change{{folder, base, newFolder(perm)}})
	}
	return err
}

// Remove implements vfs.FS.
func (f *FS) Remove(name string) error {
	return f.do(OpRemove, name, func() error {
		node, err := f.find(name)
		if err != nil {
			return err
		}
		if len(node.kids) > 0 {
			return errors.New("folder not empty")
		}
		folder, base, err := f.parent(name)
		if err == nil {
			f.apply(change{{folder, base, nil}})
			f.gain(int64(len(node.data)))
		}
		return err
	})
}

// Rename implements vfs.FS.
func (f *FS) Rename(oldName, newName string) error {
	return f.do(OpRename, oldName, func() error {
		node, err := f.find(oldName)
		if err != nil {
			return err
		}
		from, oldBase, err := f.parent(oldName)
		if err != nil {
			return err
		}
		to, newBase, err := f.parent(newName)
		if err != nil {
			return err
		}
		if there := to.kids[newBase]; there != nil && there.mode.IsDir() {
			return fs.ErrExist
		}
		if path.Clean(oldName) != path.Clean(newName) {
			f.apply(change{{from, oldBase, nil}, {to, newBase, node}})
		}
		return nil
	})
}

// Link implements vfs.FS.
func (f *FS) Link(oldName, newName string) error {
	return f.do(OpLink, newName, func() error {
		node, err := f.find(oldName)
		if err != nil {
			return err
		}
		if node.mode.IsDir() {
			return fs.ErrPermission
		}
		folder, base, err := f.parent(newName)
		if err != nil {
			return err
		}
		if folder.kids[base] != nil {
			return fs.ErrExist
		}
		f.apply(change{{folder, base, node}})
		return nil
	})
}

// SyncDir implements vfs.FS.
func (f *FS) SyncDir(name string) error {
	return f.do(OpSyncDir, name, func() error {
		node, err := f.find(name)
		if err != nil {
			return err
		}
		f.pending = slices.DeleteFunc(f.pending, func(c change) bool {
			if !slices.ContainsFunc(c, func(e entry) bool { return e.folder == node }) {
				return false
			}
			for _, e := range c {
				e.in(e.folder.durableKids)
			}
			return true
		})
		return nil
	})
}

// Lock implements vfs.FS. Locks are not copied by Crash and Clone.
func (f *FS) Lock(name string) (io.Closer, error) {
	file, err := f.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	clean := path.Clean(name)
	err = f.do(OpLock, name, func() error {
		if f.locks[clean] {
			return vfs.ErrLocked
		}
		f.locks[clean] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &lock{in: f, name: clean}, nil
}

// Close implements vfs.FS and does nothing.
func (f *FS) Close() error { return nil }

// lock is a lock that is held.
type lock struct {
	in   *FS
	name string
	once sync.Once
}

// Close releases the lock.
func (l *lock) Close() error {
	l.once.Do(func() {
		l.in.mu.Lock()
		defer l.in.mu.Unlock()
		delete(l.in.locks, l.name)
	})
	return nil
}
