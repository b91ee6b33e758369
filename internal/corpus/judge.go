// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/text"
)

// Verdict is what a machine does with the file of a path that a state names.
type Verdict uint8

const (
	// Listed is the path of a file that a scan lists: it may be written.
	Listed Verdict = iota
	// NotHere is the path of a file that this machine ignores, or that is none of a memex by
	// the formats and the configuration here: memory keeps it, and the file is left alone.
	NotHere
	// Never is the path of no file of any memex: a part of it is hidden, it leads out of the
	// root, or it cannot be a name.
	Never
)

// Errors of writing a file that is not [Listed].
var (
	ErrNotHere = errors.New("this machine ignores files of this name or does not read them, so it writes none")
	ErrNever   = errors.New("no note has such a path: a part of it is hidden or holds a control character, or it leads out of the memex")
)

// Judge is the rule of paths: everything that writes a file of the memex, and everything that
// takes in the state of another machine, asks it. A file of the path need not exist. setup says
// that a document names it as its setup file, and that it holds settings; coming, if not nil,
// returns the texts of ignore files that are about to be written where there are none. What the
// configuration names is listed whatever its name is. Errors: those of [Root.Read] for an unreadable
// ignore file; with NotHere, ErrElsewhere if the path leads to a file that scans list under its own
// path; with Never, ErrOutside and ErrLoop if a link of this folder is the reason.
// O(folders of the path).
func Judge(r *Root, name string, setup bool, coming func(path string) (string, bool)) (Verdict, error) {
	if !fs.ValidPath(name) || !isUsable(name) {
		return Never, nil
	}
	named := r.chosen.names(name)
	if !named && hasHidden(r.chosen.unnamed(name)) {
		return Never, nil
	}
	if _, _, err := r.dir.resolveNew(name); errors.Is(err, ErrOutside) || errors.Is(err, ErrLoop) {
		return Never, err
	}
	if class := r.chosen.classify(name); class == foreign && (!setup || isEditorsCopy(path.Base(name))) {
		return NotHere, nil
	}
	if named {
		return Listed, nil
	}
	ignored, err := r.dir.ignored(name, coming)
	if err == nil && !ignored {
		err = r.elsewhere(name)
	}
	if err != nil || ignored {
		return NotHere, err
	}
	return Listed, nil
}

// unnamed returns the part of a path that must not be hidden: not the folder of skills, which
// the configuration names, and not the name of an ignore file.
func (s *selection) unnamed(name string) string {
	if s.skills != "" && isBelow(name, s.skills) {
		name = name[len(s.skills)+1:]
	}
	if path.Base(name) != document.IgnoreFile {
		return name
	}
	if name = path.Dir(name); name == "." {
		return "_"
	}
	return name
}

// Admits reports whether a scan lists a file of this path and a format parses it. The file need
// not exist. Errors: those of Judge.
func (r *Root) Admits(name string) (bool, error) {
	verdict, err := Judge(r, name, false, nil)
	if errors.Is(err, ErrElsewhere) {
		verdict = Listed
	}
	return verdict == Listed && r.chosen.classify(name) == parsed, err
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
	if ignored, err := r.dir.ignored(real, nil); err != nil || ignored {
		return err
	}
	return fmt.Errorf("leads to %s; %w", real, ErrElsewhere)
}

// ignored reports whether an ignore file excludes a path without links.
func (d *folder) ignored(name string, coming func(string) (string, bool)) (bool, error) {
	return text.Excluded(name, document.IgnoreFile, func(at string) (string, error) {
		text, _, err := d.read(at, maxIgnoreBytes)
		if errors.Is(err, ErrVanished) {
			if err = nil; coming != nil {
				text, _ = coming(at)
			}
		}
		return text, err
	})
}
