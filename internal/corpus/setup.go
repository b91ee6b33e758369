// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/fovea-memory/fovea/internal/ignore"
)

// maxSetupBytes bounds a setup file: it holds settings, not a video.
const maxSetupBytes = 1 << 20

// Setup looks for a file below the root that a document names as its setup file.
// Scans list no such file, though it belongs to the memex, opaque, as long as it
// is named. found says whether there is one: a hidden or ignored file is none, and
// an Org file is left to scans. changed says whether it must be read, as for
// [Scan.Changed], prev being the table. It returns the errors of [Root.Read] for
// what stands there and cannot be one. O(folders of the path).
func (r *Root) Setup(name string, prev *Table) (found, changed bool, err error) {
	if !isUsable(name) || hasHidden(name) || r.Lists(name) || isEditorsCopy(path.Base(name)) {
		return false, false, nil
	}
	real, info, err := r.resolve(name)
	switch {
	case errors.Is(err, ErrDangling), errors.Is(err, ErrOutside):
		return false, false, nil
	case err != nil:
		return false, false, readError(err)
	}
	ignored, err := r.ignored(real)
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

// Opaque reports whether a file of this path would be kept without parsing.
func (r *Root) Opaque(name string) bool { return r.classify(name) != parsed }

// SkillsDir returns the folder of skills below the root, "" for one elsewhere.
func (r *Root) SkillsDir() string { return r.skills }

// Lists reports whether a scan lists files of this path. What it does not is in
// the memex, if at all, as a setup file.
func (r *Root) Lists(name string) bool { return r.classify(name) != foreign }

// Admits reports whether a scan would list an Org file of this path below the
// root: one that is neither hidden nor ignored. It need not exist. The errors are
// those of [Root.Read] for an ignore file that cannot be read, and ErrElsewhere where
// the path leads to a file that scans list under its own path. O(folders of the path).
func (r *Root) Admits(name string) (bool, error) {
	if !fs.ValidPath(name) || !isUsable(name) || hasHidden(name) || r.classify(name) != parsed {
		return false, nil
	}
	ignored, err := r.ignored(name)
	if err != nil || ignored {
		return false, err
	}
	return true, r.elsewhere(name)
}

// elsewhere returns ErrElsewhere for a path that leads to a file of another path, by
// which a scan lists it, or would.
func (r *Root) elsewhere(name string) error {
	real, _, err := r.resolveNew(name)
	if err != nil || real == name {
		return nil // Stage says what is wrong with it
	}
	whole := *r
	whole.region = region{}
	if hasHidden(real) || !whole.Lists(real) {
		return nil
	}
	if ignored, err := r.ignored(real); err != nil || ignored {
		return err
	}
	return &ElsewhereError{real}
}

// ignored reports whether ignore files leave out a path without links.
func (r *Root) ignored(name string) (bool, error) {
	var in *ignore.Rules
	folder := "."
	for rest := name; ; {
		text, _, err := r.read(path.Join(folder, ignoreFile), maxIgnoreBytes)
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
