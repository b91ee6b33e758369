// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Sub creates a folder below another one, and those above it, for its owner alone, and returns it as an FS. Its
// Close does nothing: the outer folder stays open. Links are judged by the outer folder. The folder is durable
// when Sub returns.
func Sub(outer FS, dir string) (FS, error) {
	if !fs.ValidPath(dir) || dir == "." {
		return nil, &fs.PathError{Op: "sub", Path: dir, Err: fs.ErrInvalid}
	}
	if err := outer.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for above := path.Dir(dir); ; above = path.Dir(above) {
		if err := outer.SyncDir(above); err != nil {
			return nil, err
		}
		if above == "." {
			return sub{outer, dir}, nil
		}
	}
}

// sub is a folder of another file system.
type sub struct {
	outer FS
	dir   string
}

// name returns a name in the outer folder. A name that would leave the inner folder becomes one that every
// folder refuses.
func (s sub) name(name string) string {
	if !fs.ValidPath(name) {
		return "../" + name
	}
	return path.Join(s.dir, name)
}

func (s sub) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	return s.outer.OpenFile(s.name(name), flag, perm)
}
func (s sub) Glance(name string) (fs.FileInfo, error)    { return Glance(s.outer, s.name(name)) }
func (s sub) ReadFile(name string) ([]byte, error)       { return s.outer.ReadFile(s.name(name)) }
func (s sub) Stat(name string) (fs.FileInfo, error)      { return s.outer.Stat(s.name(name)) }
func (s sub) Lstat(name string) (fs.FileInfo, error)     { return s.outer.Lstat(s.name(name)) }
func (s sub) ReadDir(name string) ([]fs.DirEntry, error) { return s.outer.ReadDir(s.name(name)) }
func (s sub) ReadLink(name string) (string, error)       { return s.outer.ReadLink(s.name(name)) }
func (s sub) MkdirAll(name string, perm fs.FileMode) error {
	return s.outer.MkdirAll(s.name(name), perm)
}
func (s sub) Remove(name string) error { return s.outer.Remove(s.name(name)) }
func (s sub) Rename(oldName, newName string) error {
	return s.outer.Rename(s.name(oldName), s.name(newName))
}
func (s sub) Link(oldName, newName string) error {
	return s.outer.Link(s.name(oldName), s.name(newName))
}
func (s sub) SyncDir(name string) error           { return s.outer.SyncDir(s.name(name)) }
func (s sub) Lock(name string) (io.Closer, error) { return s.outer.Lock(s.name(name)) }
func (s sub) Close() error                        { return nil }

// RemoveAll removes a folder with its contents, or a file, and links without following them. A missing name is
// no error. After an error a part is left.
func RemoveAll(in FS, name string) error {
	info, err := in.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return errors.Join(err, in.Remove(name))
	}
	entries, err := in.ReadDir(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := RemoveAll(in, path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return in.Remove(name)
}

// Walk calls a function for each file below a folder, and for links, which it does not follow. Files that
// disappear meanwhile are left out.
func Walk(in FS, folder string, each func(name string, info fs.FileInfo) error) error {
	entries, err := in.ReadDir(folder)
	for _, e := range entries {
		if err != nil {
			break
		}
		name := path.Join(folder, e.Name())
		if e.IsDir() {
			err = Walk(in, name, each)
			continue
		}
		info, statErr := in.Lstat(name)
		switch {
		case statErr == nil:
			err = each(name, info)
		case !errors.Is(statErr, fs.ErrNotExist):
			err = statErr
		}
	}
	return err
}

// RemoveIfThere removes a file. A missing file is no error.
func RemoveIfThere(in FS, name string) error {
	if err := in.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ReadJSON reads a value that WriteJSON wrote. A missing file leaves the value unchanged.
func ReadJSON(in FS, name string, into any) error {
	data, err := in.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return err
}

// Entries is ReadDir without an error for a missing folder, which has no entries.
func Entries(in FS, folder string) ([]fs.DirEntry, error) {
	entries, err := in.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

var variable = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})`)

// Expand replaces the variables in a path: $NAME and ${NAME} anywhere, and a leading ~. A variable that is
// unknown or empty in env is left as written; values are not expanded again. Quotes and blanks around the path
// are removed first. It touches no file. O(n).
func Expand(path string, env func(string) string) string {
	path = strings.Trim(path, "\"' \t\r\n")
	home := env("HOME")
	fromHome := home != "" && (path == "~" || strings.HasPrefix(path, "~/"))
	path = variable.ReplaceAllStringFunc(path, func(name string) string {
		if value := env(strings.Trim(name, "${}")); value != "" {
			return value
		}
		return name
	})
	if fromHome {
		return filepath.Join(home, path[1:])
	}
	return path
}
