// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// Folder is a folder of the operating system. It implements FS; methods that os.Root has in the form of FS,
// such as Stat and Rename, are the root's.
type Folder struct {
	path string
	*root
}

// root is embedded in a Folder, and no other package reaches it.
type root = os.Root

var _ FS = (*Folder)(nil)

// Dir opens the folder at a path of the operating system. It returns ErrNotFolder if something else is there,
// fs.ErrNotExist if nothing is. The caller closes the folder.
func Dir(name string) (*Folder, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", name, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open folder %s: %w", abs, ErrNotFolder)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return &Folder{path: abs, root: root}, nil
}

// CreateDir opens the folder at a path of the operating system. If it is missing, it is created first, durably
// and with those above it; perm is before the umask and only for new folders. It returns ErrNotFolder if a file
// is in the way; that file is left alone.
func CreateDir(name string, perm fs.FileMode) (*Folder, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("make folder %s: %w", name, err)
	}
	above, missing := abs, []string(nil)
	for {
		info, err := os.Stat(above)
		if err == nil && !info.IsDir() {
			return nil, fmt.Errorf("make folder %s: %s is a file: %w", abs, above, ErrNotFolder)
		}
		if err == nil {
			break
		}
		missed := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) // ENOTDIR: a file is further up
		if !missed || above == filepath.Dir(above) {
			return nil, fmt.Errorf("make folder: %w", err)
		}
		missing = append(missing, filepath.Base(above))
		above = filepath.Dir(above)
	}
	if len(missing) > 0 {
		if err := makeBelow(above, missing, perm); err != nil {
			return nil, fmt.Errorf("make folder %s: %w", abs, err)
		}
	}
	return Dir(abs)
}

// makeBelow creates the folders, listed innermost first, each in the next one, and the last in above.
func makeBelow(above string, missing []string, perm fs.FileMode) error {
	d, err := Dir(above)
	if err != nil {
		return err
	}
	defer d.Close()
	in := "."
	for _, name := range slices.Backward(missing) {
		if err := d.MkdirAll(path.Join(in, name), perm); err != nil {
			return err
		}
		if err := d.SyncDir(in); err != nil {
			return err
		}
		in = path.Join(in, name)
	}
	return nil
}

// Path returns the absolute path of the folder.
func (d *Folder) Path() string { return d.path }

// OpenFile implements FS. It does not wait for the other end of a pipe.
func (d *Folder) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := d.root.OpenFile(name, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// ReadFile implements FS. A pipe is not waited for.
func (d *Folder) ReadFile(name string) ([]byte, error) {
	f, err := d.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// ReadDir implements FS.
func (d *Folder) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe in its place is not waited for
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// ReadLink implements FS.
func (d *Folder) ReadLink(name string) (string, error) { return d.root.Readlink(name) }

// SyncDir implements FS. On Windows, where a folder cannot be synced, it does
// nothing.
func (d *Folder) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	return errors.Join(err, f.Close())
}

// Lock implements FS with flock, or LockFileEx on Windows.
func (d *Folder) Lock(name string) (io.Closer, error) {
	// The file is made through the root, which refuses a name that leaves it.
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(d.path, filepath.FromSlash(name)), flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
	case !ok:
		return nil, &fs.PathError{Op: "lock", Path: name, Err: ErrLocked}
	}
	return lock, nil
}

// osFile adds SyncData, which each system implements in its own way.
type osFile struct{ *os.File }
