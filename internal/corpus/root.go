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
	"sync"

	"github.com/fovea-memory/fovea/document"
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
	// Parses reports whether a format owns the path of a file, so that the file is parsed;
	// document.IsOrgPath if nil.
	Parses func(path string) bool
	// Host is the machine on which editors' locks are interpreted; ThisHost() if it
	// has no name.
	Host Host
	// Holder, if not nil, returns the name of an editor's buffer that holds the file at a path,
	// "" for none. See Write.
	Holder func(path string) string
	// FS replaces the file system of the folder in tests.
	FS vfs.FS
}

// Root is an open memex folder. It is safe for concurrent use.
type Root struct {
	dir     *folder
	chosen  selection
	written *writtenFiles // files written here; shared by the regions of a folder
	links   *knownLinks   // found by scans; shared by the regions of a folder
}

// folder is the open folder of a Root, whose links are followed only inside it. It is safe
// for concurrent use.
type folder struct {
	fs     vfs.FS
	paths  []string    // absolute: without links, and as given to Open
	opened fs.FileInfo // of the folder when it was opened; nil in tests
	host   Host        // on which locks of editors are interpreted
	holder func(path string) string
	swept  sync.Map // the folders that Sweep has been through
}

// Open opens the folder dir, which may be a link. Errors, wrapped with the path:
// ErrNoFolder, ErrNotFolder, ErrUnreadable.
func Open(dir string, opts *Options) (*Root, error) {
	opts = cmp.Or(opts, &Options{})
	d := &folder{fs: opts.FS, paths: []string{dir}, host: opts.Host, holder: opts.Holder}
	if d.fs == nil {
		if err := d.open(dir); err != nil {
			return nil, fmt.Errorf("corpus: open %s: %w", dir, openError(err))
		}
	}
	if d.host.Name == "" {
		d.host = ThisHost()
	}
	chosen := selection{parses: opts.Parses}
	if chosen.parses == nil {
		chosen.parses = document.IsOrgPath
	}
	if rel, ok := d.relativeName(cmp.Or(opts.SkillsDir, defaultSkills)); ok {
		chosen.skills = rel
	}
	for _, name := range opts.Opaque {
		if rel, ok := d.relativeName(name); ok {
			chosen.opaque = append(chosen.opaque, rel)
		}
	}
	slices.Sort(chosen.opaque)
	chosen.opaque = slices.Compact(chosen.opaque)
	return &Root{dir: d, chosen: chosen, written: &writtenFiles{}, links: &knownLinks{byRegion: map[*Root][]linkTarget{}}}, nil
}

// open opens a folder of the operating system and checks that it can be listed.
func (d *folder) open(dir string) error {
	opened, err := vfs.Dir(dir)
	if err != nil {
		return err
	}
	d.fs = opened
	if d.paths, err = absolute(dir); err == nil {
		err = d.list()
	}
	if err == nil {
		d.opened, err = d.fs.Stat(".")
	}
	if err != nil {
		return errors.Join(err, d.fs.Close())
	}
	return nil
}

// list returns an error if the folder cannot be listed.
func (d *folder) list() error {
	listing, err := d.fs.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return listing.Close()
}

// InPlace returns nil while the path of the folder still leads to the opened folder. It
// returns ErrReplaced if the user sees another folder there than the one that the Root
// reads and writes. One system call.
func (r *Root) InPlace() error {
	if r.dir.opened == nil {
		return nil
	}
	now, err := vfs.Glance(r.dir.fs, ".")
	if err != nil || !vfs.Same(now, r.dir.opened) {
		return ErrReplaced
	}
	return nil
}

// Close releases the folder, and Options.FS if given. Later scans, reads and writes
// fail.
func (r *Root) Close() error { return r.dir.fs.Close() }

// absolute returns the absolute path of dir without links, and the one with links if they differ.
func absolute(dir string) ([]string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	return slices.Compact([]string{real, abs}), err
}

// relativeName converts a path as the user writes it to a path below the root, with
// slashes, and reports whether it is inside the root.
func (d *folder) relativeName(name string) (string, bool) {
	name = filepath.Clean(name)
	if filepath.IsAbs(name) {
		name = d.relative(name)
	}
	return filepath.ToSlash(name), name != "." && filepath.IsLocal(name)
}

// relative removes the root from an absolute path; it returns "" for a path outside. It
// does not clean the path, because .. after a link is not the folder above in the path.
func (d *folder) relative(abs string) string {
	for _, root := range d.paths {
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
func (d *folder) resolve(name string) (string, fs.FileInfo, error) {
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
		found, err := d.fs.Lstat(next)
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
		target, err := d.fs.ReadLink(next)
		if err != nil {
			return "", nil, linkError(err)
		}
		if filepath.IsAbs(target) {
			if target = d.relative(target); target == "" {
				return "", nil, ErrOutside
			}
			done, info = ".", nil
		}
		rest = filepath.ToSlash(target) + "/" + rest
	}
	if info != nil {
		return done, info, nil
	}
	info, err := d.fs.Lstat(done)
	return done, info, err
}
