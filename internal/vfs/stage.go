// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"errors"
	"io"
	"io/fs"
	"path"
)

// Staged is new content for a name: complete and synced in a temporary file in the same folder, and not yet
// visible under the name. Replace, Create or Discard ends it. It is for one goroutine.
type Staged struct {
	in         FS
	name, temp string
	info       fs.FileInfo
	later      bool // the caller syncs the folder
}

// Info describes the synced file: its inode, size and modification time stay the same when it gets its name.
func (s *Staged) Info() fs.FileInfo { return s.info }

// Stage writes the output of fill into a temporary file in the folder of name and syncs it. A full disk fails
// here, before anything was touched. like is the file whose permissions and owner the new one gets, nil for one
// with perm, before the umask. If this process may not give files to that owner, the error wraps ErrOwner.
// After an error nothing is left, unless removing it failed too. The writer is not buffered.
func Stage(in FS, name string, perm fs.FileMode, like fs.FileInfo, fill func(io.Writer) error) (*Staged, error) {
	if like != nil {
		perm = like.Mode().Perm()
	}
	f, temp, err := createTemp(in, name, perm)
	if err != nil {
		return nil, err
	}
	err = fill(f)
	if err == nil && like != nil {
		if err = giveTo(f, like); err == nil {
			err = f.Chmod(perm) // past the umask, and after the owner: chown may clear bits
		}
	}
	if err == nil {
		err = f.Sync()
	}
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return nil, errors.Join(err, in.Remove(temp))
	}
	return &Staged{in: in, name: name, temp: temp, info: info}, nil
}

// giveTo gives the file the owner and group of another, if they differ.
func giveTo(f File, like fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	have, ok := IdentityOf(info)
	want, ok2 := IdentityOf(like)
	if !ok || !ok2 || have.UID == want.UID && have.GID == want.GID {
		return nil
	}
	if err := f.Chown(want.UID, want.GID); err != nil {
		return errors.Join(ErrOwner, err)
	}
	return nil
}

// Replace makes this the content of the name, whatever it was, and syncs the folder. After an error the
// temporary file is gone, unless removing it failed too, and the name has its old content, unless the sync
// failed.
func (s *Staged) Replace() error {
	if err := s.in.Rename(s.temp, s.name); err != nil {
		return errors.Join(err, s.in.Remove(s.temp))
	}
	return s.sync()
}

// SyncLater leaves the sync of the folder to the caller, after Replace or Create.
func (s *Staged) SyncLater() { s.later = true }

func (s *Staged) sync() error {
	if s.later {
		return nil
	}
	return s.in.SyncDir(path.Dir(s.name))
}

// Create is Replace for a free name: fs.ErrExist if it is taken. On a file system without hard links, a file
// created at the same moment can be replaced.
func (s *Staged) Create() error {
	err := s.in.Link(s.temp, s.name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if _, statErr := s.in.Lstat(s.name); errors.Is(statErr, fs.ErrNotExist) {
			return s.Replace()
		}
	}
	if err = errors.Join(err, s.in.Remove(s.temp)); err != nil {
		return err
	}
	return s.sync()
}

// Discard removes the temporary file.
func (s *Staged) Discard() error { return s.in.Remove(s.temp) }
