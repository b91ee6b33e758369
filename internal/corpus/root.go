// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// maxPath is the longest path in bytes that a node can carry.
const maxPath = 4096

// maxLinks is the number of links followed for one path before it counts as a loop.
// Linux has the same limit.
const maxLinks = 40

// defaultSkills is the skills folder if Options names none.
const defaultSkills = "skills"

// Options configure Open; nil and the zero value are the defaults.
type Options struct {
	// SkillsDir is the folder of skills, absolute or relative to the root;
	// "skills" if empty. A folder outside the root adds no files.
	SkillsDir string
	// Opaque lists files, absolute or relative to the root, that belong to the memex
	// without being parsed, whatever their names, even if hidden or ignored. Files
	// outside the root are skipped.
	Opaque []string
	// Host is the machine on which editors' locks are interpreted; ThisHost() if it
	// has no name.
	Host Host
	// FS replaces the file system of the folder in tests.
	FS vfs.FS
}

// Root is an open memex folder. It is safe for concurrent use.
type Root struct {
	fs       vfs.FS
	absPaths []string // absolute: without links, and as given to Open
	skills   string   // relative, "" where outside
	opaque   []string // relative, sorted
	host     Host
	region   region        // the covered part of the folder
	written  *writtenFiles // files written here; shared by the regions of a folder
	links    *knownLinks   // found by scans; shared by the regions of a folder
	opened   fs.FileInfo   // of the folder when it was opened
}

// Open opens the folder dir, which may be a link. Errors, wrapped with the path:
// ErrNoFolder, ErrNotFolder, ErrUnreadable.
func Open(dir string, opts *Options) (*Root, error) {
	if opts == nil {
		opts = &Options{}
	}
	r := &Root{fs: opts.FS, absPaths: []string{dir}, host: opts.Host, written: &writtenFiles{}, links: &knownLinks{}}
	if r.fs == nil {
		if err := r.openFolder(dir); err != nil {
			return nil, openError(dir, err)
		}
	}
	if r.host.Name == "" {
		r.host = ThisHost()
	}
	r.skills, _ = r.relativeName(cmp.Or(opts.SkillsDir, defaultSkills))
	for _, name := range opts.Opaque {
		if rel, ok := r.relativeName(name); ok {
			r.opaque = append(r.opaque, rel)
		}
	}
	slices.Sort(r.opaque)
	r.opaque = slices.Compact(r.opaque)
	return r, nil
}

// openFolder opens a folder of the operating system and checks that it can be listed.
func (r *Root) openFolder(dir string) error {
	folder, err := vfs.Dir(dir)
	if err != nil {
		return err
	}
	r.fs = folder
	if r.absPaths, err = absolute(dir); err != nil {
		return errors.Join(err, r.Close())
	}
	listing, err := r.fs.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	if err := listing.Close(); err != nil {
		return errors.Join(err, r.Close())
	}
	if r.opened, err = r.fs.Stat("."); err != nil {
		return errors.Join(err, r.Close())
	}
	return nil
}

// InPlace returns nil while the path of the folder still leads to the opened folder. It
// returns ErrReplaced if the user sees another folder there than the one that the Root
// reads and writes. One system call.
func (r *Root) InPlace() error {
	if r.opened == nil { // only in tests
		return nil
	}
	now, err := vfs.Glance(r.fs, ".")
	if err != nil || !now.Same(vfs.GlimpseOf(r.opened)) {
		return ErrReplaced
	}
	return nil
}

// Close releases the folder, and Options.FS if given. Later scans, reads and writes
// fail.
func (r *Root) Close() error { return r.fs.Close() }

// absolute returns the absolute path of dir without links, and with links if it differs.
func absolute(dir string) ([]string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	return slices.Compact([]string{real, abs}), err
}

func openError(dir string, err error) error {
	for _, known := range []struct{ is, to error }{
		{fs.ErrNotExist, ErrNoFolder},
		{vfs.ErrNotFolder, ErrNotFolder},
		{syscall.ENOTDIR, ErrNotFolder},
		{fs.ErrPermission, ErrUnreadable},
	} {
		if errors.Is(err, known.is) {
			err = known.to
		}
	}
	return fmt.Errorf("corpus: open %s: %w", dir, err)
}

// relativeName converts a path as the user writes it to a path below the root, with
// slashes, and reports whether it is inside the root.
func (r *Root) relativeName(name string) (string, bool) {
	name = filepath.Clean(name)
	if filepath.IsAbs(name) {
		name = r.relative(name)
	}
	return filepath.ToSlash(name), name != "." && filepath.IsLocal(name)
}

// relative removes the root from an absolute path; it returns "" for a path outside. It
// does not clean the path, because .. after a link is not the folder above in the path.
func (r *Root) relative(abs string) string {
	for _, root := range r.absPaths {
		if abs == root {
			return "."
		}
		rel, ok := strings.CutPrefix(abs, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
		if ok {
			return rel
		}
	}
	return ""
}

// resolve follows the links in a path and returns the target: its path without links,
// below the root. Errors: ErrOutside, ErrDangling, ErrLoop.
func (r *Root) resolve(name string) (string, fs.FileInfo, error) {
	done, links := ".", 0
	rest := name
	var info fs.FileInfo // of done; nil if not read yet
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			if done == "." {
				return "", nil, ErrOutside
			}
			done, info = path.Dir(done), nil
			continue
		}
		next := path.Join(done, part)
		found, err := r.fs.Lstat(next)
		if err != nil {
			return "", nil, linkError(err)
		}
		if found.Mode()&fs.ModeSymlink == 0 {
			done, info = next, found
			continue
		}
		if links++; links > maxLinks {
			return "", nil, ErrLoop
		}
		target, err := r.fs.ReadLink(next)
		if err != nil {
			return "", nil, linkError(err)
		}
		if filepath.IsAbs(target) {
			if target = r.relative(target); target == "" {
				return "", nil, ErrOutside
			}
			done, info = ".", nil
		}
		rest = filepath.ToSlash(target) + "/" + rest
	}
	if info != nil {
		return done, info, nil
	}
	info, err := r.fs.Lstat(done)
	return done, info, err
}

func linkError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return ErrDangling
	}
	return err
}
