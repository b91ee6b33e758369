// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

const tempPrefix = ".fovea-tmp-"

// maxTemps bounds the search for a free temporary name; that many concurrent writers of one file, or leftovers,
// mean that something else is wrong.
const maxTemps = 1000

// IsTemp reports whether the last part of name is one that WriteAtomic gives to its temporary files. Such a
// file is a leftover of a crash, and can be removed, if no running process writes it.
func IsTemp(name string) bool { return strings.HasPrefix(path.Base(name), tempPrefix) }

// WriteAtomic makes data the content of the file, as WriteAtomicFunc does.
func WriteAtomic(in FS, name string, data []byte, perm fs.FileMode) error {
	return WriteAtomicFunc(in, name, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteJSON makes a value as JSON, which only its owner may read, the content of the file, as WriteAtomicFunc
// does.
func WriteJSON(in FS, name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return WriteAtomic(in, name, data, 0o600)
}

// WriteAtomicFunc makes the output of fill the content of the file. It writes a temporary file in the same
// folder, syncs it, renames it over the name and syncs the folder, so that a crash leaves the old content or
// the new, and when it returns nil the new is durable. An existing file keeps its permissions and its owner;
// perm is for a new one, before the umask. A name of something other than a regular file is ErrNotRegular.
// After any error, also of fill, the temporary file is gone, unless removing it failed too, and the name has
// its old content, unless the last sync failed. The writer is not buffered.
func WriteAtomicFunc(in FS, name string, perm fs.FileMode, fill func(io.Writer) error) error {
	if err := writeAtomic(in, name, perm, fill); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func writeAtomic(in FS, name string, perm fs.FileMode, fill func(io.Writer) error) error {
	info, err := in.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	staged, err := Stage(in, name, perm, info, fill)
	if err != nil {
		return err
	}
	return staged.Replace()
}

// createTemp creates a file with a free temporary name in the folder of name. The temporary name depends on
// name, so that many files of a folder can be staged without trying the same names.
func createTemp(in FS, name string, perm fs.FileMode) (File, string, error) {
	folder := path.Dir(name)
	stem := fmt.Sprintf("%s%08x-", tempPrefix, crc32.ChecksumIEEE([]byte(path.Base(name))))
	for i := range maxTemps {
		temp := path.Join(folder, stem+strconv.Itoa(i))
		f, err := in.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil && i > 0 { // another process writes the same file, or a crash left it
			removeOld(in, folder, temp)
		}
		return f, temp, err
	}
	return nil, "", fmt.Errorf("%d temporary files for one name in %s: %w", maxTemps, folder, fs.ErrExist)
}

// maxAge is the age from which a temporary file is taken for a leftover of a crash if no lock proves it.
const maxAge = 24 * time.Hour

// removeOld removes the temporary files of a folder that are a day older than one created just now, by the
// clock of the file system. One that cannot be removed stays.
func removeOld(in FS, folder, now string) {
	fresh, err := in.Lstat(now)
	if err != nil {
		return
	}
	entries, _ := in.ReadDir(folder)
	for _, e := range entries {
		if !IsTemp(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		name := path.Join(folder, e.Name())
		if info, err := in.Lstat(name); err == nil && fresh.ModTime().Sub(info.ModTime()) > maxAge {
			_ = in.Remove(name)
		}
	}
}

// RemoveOld removes the temporary files that crashes left in the folder of the staged file: those unchanged for
// a day. It is for a folder in which other processes may write and whose lock nobody can hold; RemoveTemps is
// for others.
func (s *Staged) RemoveOld() { removeOld(s.in, path.Dir(s.name), s.temp) }

// RemoveTemps removes the temporary files that a crash left in the folder. No other process may write there:
// hold the lock.
func RemoveTemps(in FS, folder string) error {
	entries, err := in.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("remove temporary files: %w", err)
	}
	for _, e := range entries {
		if !IsTemp(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if err := in.Remove(path.Join(folder, e.Name())); err != nil {
			return fmt.Errorf("remove temporary files: %w", err)
		}
	}
	return nil
}
