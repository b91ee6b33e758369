// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// ErrBegun is returned when a store would be taken to where one is.
var ErrBegun = errors.New("a history was begun there")

// ErrMemexThere is returned when a store is to be removed whose memex exists.
var ErrMemexThere = errors.New("its memex is there")

// Take lets the history of one store go on as that of the memex at another path, in the
// state folder to, which must have none (ErrBegun). The store moves, or is copied where
// copied says so: two memexes never share one. A store that a process has open is
// refused with a vfs.HeldError. A crash leaves the store where it was, or moved and not
// yet the new memex's, which Adopt mends.
func Take(from, to, memex string, copied bool) error {
	if Begun(to) {
		return fmt.Errorf("%s: %w", to, ErrBegun)
	}
	release, err := hold(from)
	if err != nil {
		return err
	}
	defer release()
	above, err := vfs.CreateDir(filepath.Dir(to), 0o700)
	if err != nil {
		return err
	}
	defer above.Close()
	if err := clear(above, filepath.Base(to)); err != nil {
		return fmt.Errorf("take %s: %w", from, err)
	}
	inside, err := filepath.Rel(above.Path(), from)
	if moves := err == nil && filepath.IsLocal(inside) && !copied; moves {
		err = above.Rename(filepath.ToSlash(inside), filepath.Base(to))
	} else {
		err = copyTo(above, from, filepath.Base(to))
	}
	if err == nil {
		err = above.SyncDir(".")
	}
	if err == nil {
		err = adoptAt(to, memex)
	}
	if err == nil && !copied && Begun(from) {
		err = removeAt(from) // it lay on another disk
	}
	if err != nil {
		return fmt.Errorf("take %s: %w", from, err)
	}
	return nil
}

// asideMark is in the names of stores that were put aside.
const asideMark = ".was-"

// Aside gives a store another name beside its own, which it returns: nothing of it is
// lost. A store that a process has open is refused with a vfs.HeldError.
func Aside(dir string, now time.Time) (string, error) {
	release, err := hold(dir)
	if err != nil {
		return "", err
	}
	defer release()
	above, err := vfs.Dir(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	defer above.Close()
	name := filepath.Base(dir) + asideMark + now.UTC().Format("20060102-150405")
	if _, err := above.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("put %s aside: %s is there", dir, name)
	}
	if err := above.Rename(filepath.Base(dir), name); err != nil {
		return "", fmt.Errorf("put %s aside: %w", dir, err)
	}
	return filepath.Join(filepath.Dir(dir), name), above.SyncDir(".")
}

// Remove removes a store for good. Errors: a vfs.HeldError where a process has it open,
// ErrMemexThere unless forced.
func Remove(s Store, force bool) error {
	if s.Stands == There && !force {
		return fmt.Errorf("%s: %s: %w", s.Dir, s.Memex, ErrMemexThere)
	}
	above, err := vfs.Dir(filepath.Dir(s.Dir))
	if err != nil {
		return err
	}
	defer above.Close()
	if info, err := above.Lstat(filepath.Base(s.Dir)); err != nil || !info.IsDir() || !Begun(s.Dir) {
		return fmt.Errorf("%s: %w", s.Dir, errNone)
	}
	release, err := hold(s.Dir)
	if err != nil {
		return err
	}
	defer release()
	return removeAt(s.Dir)
}

// Adopt makes a store, and the scopes in it, that of the memex at a path. The caller
// holds the lock.
func Adopt(in vfs.FS, memex string) error {
	if err := disk.Adopt(in, memex); err != nil {
		return err
	}
	scopes, err := in.ReadDir("scopes")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, s := range scopes {
		if !s.IsDir() {
			continue
		}
		scope, err := vfs.Sub(in, path.Join("scopes", s.Name()))
		if err != nil {
			return err
		}
		if err := disk.Adopt(scope, memex); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func adoptAt(dir, memex string) error {
	in, err := vfs.Dir(dir)
	if err != nil {
		return err
	}
	defer in.Close()
	return Adopt(in, memex)
}

// hold takes the lock of a store, so that nobody writes it meanwhile.
func hold(dir string) (release func(), err error) {
	in, err := vfs.Dir(dir)
	if err != nil {
		return nil, err
	}
	lock, err := disk.TryLock(in, vfs.Holder{PID: os.Getpid(), Command: "fovea", Since: time.Now()})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s is in use; stop that first (fovea serve --stop): %w", dir, err), in.Close())
	}
	return func() { _, _ = lock.Unlock(), in.Close() }, nil
}

// clear removes a folder that holds no history, such as one that has a lock file alone.
func clear(above vfs.FS, name string) error {
	if _, err := above.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return removeTree(above, name)
}

func removeAt(dir string) error {
	above, err := vfs.Dir(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer above.Close()
	if err := removeTree(above, filepath.Base(dir)); err != nil {
		return fmt.Errorf("remove %s: %w", dir, err)
	}
	return above.SyncDir(".")
}

// removeTree removes a folder and what is in it; links are removed, not followed. FORMAT
// goes first, so that what a crash leaves is no store.
func removeTree(in vfs.FS, name string) error {
	if err := in.Remove(path.Join(name, disk.FormatFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := in.ReadDir(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		inner := path.Join(name, e.Name())
		if e.IsDir() {
			err = removeTree(in, inner)
		} else {
			err = in.Remove(inner)
		}
		if err != nil {
			return err
		}
	}
	return in.Remove(name)
}

// copyTo copies a store to a name in a folder: first under another name, so that a crash
// leaves no half of one.
func copyTo(above vfs.FS, from, name string) error {
	source, err := vfs.Dir(from)
	if err != nil {
		return err
	}
	defer source.Close()
	made := name + ".copy"
	if err := clear(above, made); err != nil {
		return err
	}
	if err := above.MkdirAll(made, 0o700); err != nil {
		return err
	}
	err = walk(source, ".", func(file string, info fs.FileInfo) error {
		if !info.Mode().IsRegular() {
			return nil // a socket, or what somebody else put there
		}
		return copyFile(source, above, file, path.Join(made, file))
	})
	if err != nil {
		return errors.Join(err, removeTree(above, made))
	}
	return above.Rename(made, name)
}

// copyFile copies one file, and makes its folder.
func copyFile(from, to vfs.FS, name, as string) error {
	in, err := from.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := to.MkdirAll(path.Dir(as), 0o700); err != nil {
		return err
	}
	out, err := to.OpenFile(as, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
