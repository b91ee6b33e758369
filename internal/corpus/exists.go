// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/fovea-memory/fovea/document"
)

// Exists reports whether a path below the root leads to anything. If that cannot be
// determined, because permission is missing or a link leads out of the root, it
// reports true. O(parts of the path).
func (r *Root) Exists(name string) bool {
	_, _, err := r.dir.resolve(name)
	return !errors.Is(err, ErrDangling)
}

// Vacant reports whether a path below the root is free: there is nothing, not even a
// dangling link. O(parts of the path).
func (r *Root) Vacant(name string) bool {
	_, info, err := r.dir.resolveNew(name)
	return err == nil && info == nil
}

// Lost reports whether a path below the root has no file to read: the path does not
// exist, it is a link that dangles, loops or leaves the root, or it is not a regular
// file. A file hidden by missing permission is not lost. O(parts of the path).
func (r *Root) Lost(name string) bool {
	_, info, err := r.dir.resolve(name)
	if err == nil {
		return !info.Mode().IsRegular()
	}
	return errors.Is(err, ErrDangling) || errors.Is(err, ErrOutside) || errors.Is(err, ErrLoop)
}

// ErrHidden is returned for a file that is hidden or ignored.
var ErrHidden = errors.New("the file is hidden or ignored")

// ErrEncrypted is returned for a file that is encrypted by its name.
var ErrEncrypted = errors.New("the file is encrypted")

// Peek returns the size, times and inode of any file below the root, and every known path
// that leads to it: the given one, the one without links, and those of Names, including its
// hard links. Errors: ErrName, ErrHidden and ErrEncrypted (also if a link leads to such a
// file), ErrOutside, ErrDangling (the file does not exist), ErrLoop,
// ErrNotFolder, ErrSpecial, and those of Read for an unreadable ignore file. O(folders of the
// path).
func Peek(r *Root, name string) (f File, names []string, err error) {
	if !fs.ValidPath(name) || !isUsable(name) {
		return File{}, nil, ErrName
	}
	real, info, err := r.dir.resolve(name)
	if err != nil {
		return File{}, nil, readError(err)
	}
	for _, path := range []string{name, real} {
		ignored, err := r.dir.ignored(path, nil)
		switch {
		case hasHidden(path) || ignored:
			return File{}, nil, ErrHidden
		case err != nil:
			return File{}, nil, err
		}
	}
	if names = namesOf(r, name, real, cmp.Or(inodeName(info), real)); slices.ContainsFunc(names, document.IsEncrypted) {
		return File{}, nil, ErrEncrypted
	}
	if !info.Mode().IsRegular() {
		return File{}, nil, ErrSpecial
	}
	return fileOf(name, r.chosen.classify(name) != parsed, info), names, nil
}

// Prune removes the folders above a removed file, innermost first, while they are empty and keep
// returns false. It does not remove the root or a link to a folder. It stops at a folder that
// cannot be removed, without an error: an empty folder does no harm.
func Prune(r *Root, name string, keep func(folder string) bool) {
	for folder := path.Dir(name); folder != "." && folder != "/" && !keep(folder); folder = path.Dir(folder) {
		if info, err := r.dir.fs.Lstat(folder); err != nil || !info.IsDir() {
			return
		}
		if r.dir.fs.Remove(folder) != nil { // it is not empty
			return
		}
		_ = r.dir.fs.SyncDir(path.Dir(folder))
	}
}
