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

// maxLinks is how many links are followed for one path before it counts as a
// loop; Linux has the same bound.
const maxLinks = 40

// defaultSkills is the skills folder where Options names none.
const defaultSkills = "skills"

// Options are the choices for Open; nil and the zero value are the defaults.
type Options struct {
	// SkillsDir is the folder of skills, absolute or relative to the root;
	// "skills" if empty. One outside the root adds no files.
	SkillsDir string
	// Opaque lists files, absolute or relative to the root, that belong to the
	// memex whatever their names, unparsed. Hidden and ignored ones count too.
	// Those outside the root add nothing.
	Opaque []string
	// Host is the machine by which editors' locks are judged; ThisHost() if it
	// has no name.
	Host Host
	// FS replaces the folder by another file system, for tests.
	FS vfs.FS
}

// Root is an open memex folder. It is safe for concurrent use.
type Root struct {
	fs       vfs.FS
	absPaths []string // absolute: without links, and as Open was told
	skills   string   // relative, "" where outside
	opaque   []string // relative, sorted
	host     Host
	region   region        // the part of the folder that counts
	written  *writtenFiles // what was written here; the regions of a folder share it
	links    *knownLinks   // that scans saw; the regions of a folder share them
	opened   fs.FileInfo   // of the folder as it was opened
}

// Open opens the folder dir, which may itself be a link. It returns ErrNoFolder,
// ErrNotFolder or ErrUnreadable, with the path.
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

// openFolder opens the folder of the operating system, if it can be listed.
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

// InPlace returns nil while the path of the folder leads to the folder that was
// opened, and otherwise an error that wraps ErrReplaced: what a person sees there is
// not what the Root reads and writes. One system call.
func (r *Root) InPlace() error {
	if r.opened == nil { // of a test
		return nil
	}
	now, err := vfs.Glance(r.fs, ".")
	if err != nil || !now.Same(vfs.GlimpseOf(r.opened)) {
		return ErrReplaced
	}
	return nil
}

// Close releases the folder, Options.FS as well. Scans, reads and writes after
// it fail.
func (r *Root) Close() error { return r.fs.Close() }

// absolute returns the path without links, and the one that leads there.
func absolute(dir string) ([]string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	return slices.Compact([]string{real, abs}), err
}

func openError(dir string, err error) error {
	for _, known := range []struct{ is, say error }{
		{fs.ErrNotExist, ErrNoFolder},
		{vfs.ErrNotFolder, ErrNotFolder},
		{syscall.ENOTDIR, ErrNotFolder},
		{fs.ErrPermission, ErrUnreadable},
	} {
		if errors.Is(err, known.is) {
			err = known.say
		}
	}
	return fmt.Errorf("corpus: open %s: %w", dir, err)
}

// inside turns a path as a person writes it into one below the root, with
// slashes, and reports whether it lies there.
func (r *Root) relativeName(name string) (string, bool) {
	name = filepath.Clean(name)
	if filepath.IsAbs(name) {
		name = r.relative(name)
	}
	return filepath.ToSlash(name), name != "." && filepath.IsLocal(name)
}

// below cuts the root off an absolute path; it returns "" for one elsewhere. It
// does not clean the path: .. means the folder above only where no link is.
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

// resolve follows the links in a path and returns the path without links of
// what it leads to, below the root. It returns ErrOutside, ErrDangling or
// ErrLoop.
func (r *Root) resolve(name string) (string, fs.FileInfo, error) {
	done, links := ".", 0
	rest := name
	var info fs.FileInfo // of done; nil where it is yet to be asked for
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
