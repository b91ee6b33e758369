// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/text"
)

// maxIgnoreBytes is the largest size of an ignore file.
const maxIgnoreBytes = 1 << 20

// walk is a scan in progress. It reads folders first and then follows links, after it has
// determined which targets are listed under their own paths.
type walk struct {
	root     *Root
	ctx      context.Context
	prev     *Table
	files    []File
	problems []Problem
	retained map[string]bool         // paths of files below unreadable folders
	folders  map[string]bool         // real paths of the folders read
	onFolder func(real string) error // called before a folder is listed, if not nil
	listed   map[string]bool         // real paths of files, set before links are followed
	links    []link
	targets  []linkTarget // where links and hard links lead, for Root.Names
}

// link is a symbolic link: its path, its path without links, and the rules of the
// ignore files that apply there.
type link struct {
	path, real string
	ignores    *text.Patterns
}

// run walks the whole memex. Its error ends the scan.
func (w *walk) run() error {
	if err := w.folder(".", ".", nil); err != nil {
		return err
	}
	if held := slices.ContainsFunc(w.problems, func(p Problem) bool { return p.Path == "." }); held {
		return w.problems[0].Err
	}
	w.listed = make(map[string]bool, len(w.files))
	for _, f := range w.files {
		w.listed[f.Path] = true
	}
	if skills := w.root.chosen.skills; skills != "" && hasHidden(skills) && w.root.chosen.region.mayContain(skills) {
		w.links = append(w.links, link{path: skills, real: skills})
	}
	// A link to a folder may add more links to the list.
	for i := 0; i < len(w.links); i++ {
		if err := w.followLink(w.links[i]); err != nil {
			return err
		}
	}
	for _, name := range w.root.chosen.opaque {
		if w.root.chosen.region.contains(name) {
			w.addConfigured(name)
		}
	}
	return w.ctx.Err()
}

// folder lists the folder with path at, which is real without links. It returns the
// error of the context or of onFolder.
func (w *walk) folder(at, real string, in *text.Patterns) error {
	if err := w.ctx.Err(); err != nil || w.folders[real] || at != real && Elsewhere(w.root, real) {
		return err
	}
	w.folders[real] = true
	if w.onFolder != nil {
		if err := w.onFolder(real); err != nil {
			return err
		}
	}
	entries, err := w.root.dir.fs.ReadDir(real)
	if errors.Is(err, fs.ErrNotExist) && at != "." {
		return nil // removed since its parent was listed
	}
	if err == nil {
		in, err = w.readIgnores(at, real, entries, in)
	}
	if err != nil {
		w.retain(at, err)
		return nil
	}
	for _, e := range entries {
		if err := w.addEntry(at, real, e, in); err != nil {
			return err
		}
	}
	return nil
}

// retain keeps the entries of the table below a folder that cannot be listed.
func (w *walk) retain(at string, err error) {
	w.addProblem(at, fmt.Errorf("folder: %w", readError(err)))
	for _, e := range w.prev.below(at) {
		if w.retained == nil {
			w.retained = map[string]bool{}
		}
		w.retained[e.Path] = true
		w.files = append(w.files, e.File)
	}
}

// readIgnores returns the rules for the folder. An unreadable ignore file is an error,
// because files that it excludes would otherwise be listed.
func (w *walk) readIgnores(at, real string, entries []fs.DirEntry, in *text.Patterns) (*text.Patterns, error) {
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == document.IgnoreFile && !e.IsDir() })
	if i < 0 {
		return in, nil
	}
	patterns, _, err := w.root.dir.read(path.Join(real, document.IgnoreFile), maxIgnoreBytes)
	if errors.Is(err, ErrVanished) {
		return in, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", document.IgnoreFile, err)
	}
	return text.ParsePatterns(in, at, patterns), nil
}

// addEntry handles one entry of a folder.
func (w *walk) addEntry(at, real string, e fs.DirEntry, in *text.Patterns) error {
	name, mode := e.Name(), e.Type()
	isFolder, isLink := mode.IsDir(), mode&fs.ModeSymlink != 0
	if isRules := name == document.IgnoreFile; isRules && !isFolder {
		in = nil // its patterns are not about itself
	} else if isHidden(name) {
		return nil
	}
	if at != "." {
		name = at + "/" + name
	}
	kind := w.root.chosen.classify(name)
	if kind == foreign && !isFolder && !isLink || !isLink && in.Match(name, isFolder) {
		return nil
	}
	if !w.root.chosen.region.mayContain(name) {
		return nil
	}
	if !isUsable(name) {
		if kind != foreign || isFolder {
			w.addProblem(name, ErrName)
		}
		return nil
	}
	switch below := path.Join(real, e.Name()); {
	case isFolder:
		return w.folder(name, below, in)
	case isLink:
		w.links = append(w.links, link{name, below, in})
	case !mode.IsRegular():
		w.addProblem(name, ErrSpecial)
	default:
		info, err := e.Info()
		if err == nil {
			w.addFile(name, below, kind, info)
		} else if !errors.Is(err, fs.ErrNotExist) {
			w.addProblem(name, readError(err))
		}
	}
	return nil
}

// addFile lists a file, unless it is listed already or belongs to another region.
func (w *walk) addFile(at, real string, kind class, info fs.FileInfo) {
	if Elsewhere(w.root, real) {
		return
	}
	if inode := inodeName(info); inode != "" {
		w.targets = append(w.targets, linkTarget{at, inode})
	}
	if w.listed != nil {
		if w.listed[real] {
			return
		}
		w.listed[real] = true
	}
	w.files = append(w.files, fileOf(at, kind == opaque, info))
}

// followLink lists the target of a link.
func (w *walk) followLink(l link) error {
	kind := w.root.chosen.classify(l.path)
	real, info, err := w.root.dir.resolve(l.real)
	if err == nil && (info.IsDir() || kind != foreign || w.root.chosen.classify(real) != foreign) {
		w.targets = append(w.targets, linkTarget{l.path, real})
	}
	if l.ignores.Match(l.path, err == nil && info.IsDir()) {
		return nil
	}
	switch {
	case errors.Is(err, ErrDangling) && kind == foreign && path.Ext(l.path) != "":
		// With this extension the target could not be a folder or a listed file.
	case err != nil:
		w.addProblem(l.path, readError(err))
	case info.IsDir():
		return w.folder(l.path, real, l.ignores)
	case kind == foreign:
	case !info.Mode().IsRegular():
		w.addProblem(l.path, ErrSpecial)
	default:
		w.addFile(l.path, real, kind, info)
	}
	return nil
}

func (w *walk) addConfigured(name string) {
	real, info, err := w.root.dir.resolve(name)
	switch {
	case errors.Is(err, ErrDangling):
		w.addProblem(name, fmt.Errorf("named in the configuration: %w", ErrVanished))
	case err != nil:
		w.addProblem(name, readError(err))
	case !info.Mode().IsRegular():
		w.addProblem(name, fmt.Errorf("named in the configuration: %w", ErrSpecial))
	case !isUsable(name):
		w.addProblem(name, ErrName)
	default:
		w.addFile(name, real, opaque, info)
	}
}

func (w *walk) addProblem(path string, err error) {
	w.problems = append(w.problems, ProblemOf(path, err))
}

func fileOf(at string, isOpaque bool, info fs.FileInfo) File {
	inode, ctime := identity(info)
	return File{
		Path: at, Size: info.Size(), MTime: info.ModTime().UnixNano(),
		CTime: ctime, Inode: inode, Opaque: isOpaque,
	}
}
