// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/fovea-memory/fovea/internal/ignore"
)

// maxSetupBytes is the largest size of a setup file, which contains only settings.
const maxSetupBytes = 1 << 20

// Setup looks for a file below the root that a document names as its setup file. Such a
// file belongs to the memex, as an opaque file, while a document names it, but scans do
// not list it. found is false for a hidden or ignored file, and for an Org file, which
// scans list. changed reports whether the file must be read, by comparison with the
// table prev as for [Scan.Changed]. If the path exists but cannot be a setup file,
// Setup returns an error as [Root.Read] does. O(folders of the path).
func (r *Root) Setup(name string, prev *Table) (found, changed bool, err error) {
	if !isUsable(name) || hasHidden(name) || r.Lists(name) || isEditorsCopy(path.Base(name)) {
		return false, false, nil
	}
	real, info, err := r.dir.resolve(name)
	switch {
	case errors.Is(err, ErrDangling), errors.Is(err, ErrOutside):
		return false, false, nil
	case err != nil:
		return false, false, readError(err)
	}
	ignored, err := r.dir.ignored(real)
	switch {
	case err != nil, ignored:
		return false, false, err
	case !info.Mode().IsRegular():
		return false, false, ErrSpecial
	case info.Size() > maxSetupBytes:
		return false, false, ErrTooLarge
	}
	e, known := prev.Get(name)
	return true, !known || !e.unchanged(fileOf(name, true, info)), nil
}

// Opaque reports whether a file of this path would be stored without parsing.
func (r *Root) Opaque(name string) bool { return r.chosen.classify(name) != parsed }

// SkillsDir returns the folder of skills below the root, "" if it is outside.
func (r *Root) SkillsDir() string { return r.chosen.skills }

// Lists reports whether a scan lists files of this path. Any other file can belong to
// the memex only as a setup file.
func (r *Root) Lists(name string) bool { return r.chosen.classify(name) != foreign }

// Admits reports whether a scan would list an Org file of this path below the root,
// that is, whether it is neither hidden nor ignored. The file need not exist. Errors:
// those of [Root.Read] for an unreadable ignore file, and ErrElsewhere if the path leads
// to a file that scans list under its own path. O(folders of the path).
func (r *Root) Admits(name string) (bool, error) {
	if !fs.ValidPath(name) || !isUsable(name) || hasHidden(name) || r.chosen.classify(name) != parsed {
		return false, nil
	}
	ignored, err := r.dir.ignored(name)
	if err != nil || ignored {
		return false, err
	}
	return true, r.elsewhere(name)
}

// elsewhere returns ErrElsewhere if the path leads to a file that a scan lists, or would
// list, under another path.
func (r *Root) elsewhere(name string) error {
	real, _, err := r.dir.resolveNew(name)
	if err != nil || real == name {
		return nil // Stage returns the error
	}
	whole := r.chosen
	whole.region = region{}
	if hasHidden(real) || whole.classify(real) == foreign {
		return nil
	}
	if ignored, err := r.dir.ignored(real); err != nil || ignored {
		return err
	}
	return &ElsewhereError{real}
}

// ignored reports whether an ignore file excludes a path without links.
func (d *folder) ignored(name string) (bool, error) {
	var in *ignore.Rules
	folder := "."
	for rest := name; ; {
		text, _, err := d.read(path.Join(folder, ignoreFile), maxIgnoreBytes)
		if err == nil {
			in = ignore.Parse(in, folder, text)
		} else if !errors.Is(err, ErrVanished) {
			return false, err
		}
		part, below, isFolder := strings.Cut(rest, "/")
		folder, rest = path.Join(folder, part), below
		if in.Match(folder, isFolder) || !isFolder {
			return in.Match(folder, isFolder), nil
		}
	}
}
