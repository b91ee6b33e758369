// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"path"
	"strings"
)

// maxSetupBytes is the largest size of a setup file, which contains only settings.
const maxSetupBytes = 1 << 20

// Setup looks for a file below the root that a document names as its setup file. Such a
// file belongs to the memex, as an opaque file, while a document names it, but scans do
// not list it. found is false for a hidden or ignored file, for one that does not begin with
// settings, and for an Org file, which scans list. changed reports whether the file must be
// read, by comparison with the table prev as for [Scan.Changed]. If the path exists but cannot
// be a setup file, Setup returns an error as [Root.Read] does. O(folders of the path).
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
	ignored, err := r.dir.ignored(real, nil)
	switch {
	case err != nil, ignored:
		return false, false, err
	case !info.Mode().IsRegular():
		return false, false, ErrSpecial
	case info.Size() > maxSetupBytes:
		return false, false, ErrTooLarge
	}
	if e, known := prev.Get(name); known && e.unchanged(fileOf(name, true, info)) {
		return true, false, nil
	}
	text, _, err := r.dir.read(real, maxSetupBytes)
	if err != nil {
		return false, false, readError(err)
	}
	found = HoldsSettings(text)
	return found, found, nil
}

// HoldsSettings reports whether a text begins like a setup file, with a keyword below any
// comments. A note from outside can name any file; only such a file enters memory.
func HoldsSettings(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line != "#" && !strings.HasPrefix(line, "# ") {
			return strings.HasPrefix(line, "#+")
		}
	}
	return true
}

// Opaque reports whether a file of this path would be stored without parsing.
func (r *Root) Opaque(name string) bool { return r.chosen.classify(name) != parsed }

// SkillsDir returns the folder of skills below the root, "" if it is outside.
func (r *Root) SkillsDir() string { return r.chosen.skills }

// Lists reports whether a scan lists files of this path. Any other file can belong to
// the memex only as a setup file.
func (r *Root) Lists(name string) bool { return r.chosen.classify(name) != foreign }
