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
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// ErrBegun is returned if the target already has a store.
var ErrBegun = errors.New("a history already exists there")

// ErrMemexThere is returned when removing a store whose memex exists.
var ErrMemexThere = errors.New("its memex exists")

// Take makes the history of a store that of the memex at another path, in the state folder to, which must not
// have one yet (ErrBegun). It moves the store, or copies it if copied is set: two memexes never share a store.
// If a process uses the store, the error is a vfs.HeldError. A crash leaves the store in its old place, or
// moved but not yet adopted, which Adopt completes.
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
	if err := removeTree(above, filepath.Base(to)); err != nil {
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
		err = removeAt(from) // it was on another disk
	}
	if err != nil {
		return fmt.Errorf("take %s: %w", from, err)
	}
	return nil
}

// asideMark is part of the names of stores set aside.
const asideMark = ".was-"

// Aside renames a store within its folder and returns the new path; nothing is lost. If a process uses the
// store, the error is a vfs.HeldError.
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
		return "", fmt.Errorf("put %s aside: %s already exists", dir, name)
	}
	if err := above.Rename(filepath.Base(dir), name); err != nil {
		return "", fmt.Errorf("put %s aside: %w", dir, err)
	}
	return filepath.Join(filepath.Dir(dir), name), above.SyncDir(".")
}

// Remove permanently removes a store. Errors: vfs.HeldError if a process uses it,
// ErrMemexThere unless forced.
func Remove(s Store, force bool) error {
	if s.State == There && !force {
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

// Adopt assigns a store and its scopes to the memex at a path. The caller holds the lock.
func Adopt(in vfs.FS, memex string) error {
	if err := disk.Adopt(in, memex); err != nil {
		return err
	}
	scopes, err := vfs.Entries(in, "scopes")
	if err != nil {
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

// hold locks a store against use by other processes.
func hold(dir string) (release func(), err error) {
	in, err := vfs.Dir(dir)
	if err != nil {
		return nil, err
	}
	lock, err := vfs.TryLock(in, store.LockFile, vfs.Holder{PID: os.Getpid(), Command: "fovea", Since: time.Now()})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s is in use; stop that first (fovea serve --stop): %w", dir, err), in.Close())
	}
	return func() { _, _ = lock.Unlock(), in.Close() }, nil
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

// removeTree removes a folder with its contents, if there is one, and links without following
// them. FORMAT goes first, so that the remains after a crash are not a store.
func removeTree(in vfs.FS, name string) error {
	if err := vfs.RemoveIfThere(in, path.Join(name, store.FormatFile)); err != nil {
		return err
	}
	return vfs.RemoveAll(in, name)
}

// copyTo copies a store into a folder, first under a temporary name, so that a crash leaves
// no partial store.
func copyTo(above vfs.FS, from, name string) error {
	source, err := vfs.Dir(from)
	if err != nil {
		return err
	}
	defer source.Close()
	made := name + ".copy"
	if err := removeTree(above, made); err != nil {
		return err
	}
	if err := above.MkdirAll(made, 0o700); err != nil {
		return err
	}
	err = vfs.Walk(source, ".", func(file string, info fs.FileInfo) error {
		if !info.Mode().IsRegular() {
			return nil // a socket or a foreign file
		}
		return copyFile(source, above, file, path.Join(made, file))
	})
	if err != nil {
		return errors.Join(err, removeTree(above, made))
	}
	return above.Rename(made, name)
}

// copyFile copies one file and creates its folder.
func copyFile(from, to vfs.FS, name, as string) error {
	in, err := from.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := to.MkdirAll(path.Dir(as), 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomicFunc(to, as, 0o600, func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	})
}
