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

// Verdict states what a machine does with the file at a path in a state.
type Verdict uint8

const (
	// Listed is the path of a file that a scan lists: it may be written.
	Listed Verdict = iota
	// NotHere is the path of a file that this machine ignores, or that does not belong to a memex
	// under the formats and configuration here: memory keeps the document, and no file is written.
	NotHere
	// Never is a path that no memex can have: a part of it is hidden, it leads out of the
	// root, or it is not a valid name.
	Never
)

// Errors of writing a file that is not [Listed].
var (
	ErrNotHere = errors.New("this machine ignores or does not read files of this name, so it does not write them")
	ErrNever   = errors.New("no note can have this path: a part of it is hidden or contains a control character, or it leads out of the memex")
)

// Judge is the rule of paths. It is called before any file of the memex is written, and before the
// state of another machine is accepted. The file need not exist. setup means that a document names
// it as its setup file and that it begins with settings; coming, if not nil, returns the texts of new
// ignore files that are about to be written. A file that the configuration names is listed, whatever
// its name is. Errors: those of [Root.Read] for an unreadable ignore file; with NotHere, ErrElsewhere
// if the path leads to a file that scans list under its own path; with Never, ErrOutside and ErrLoop
// if a link in this folder is the reason.
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

// unnamed returns the part of a path that must not be hidden. It leaves out the folder of skills,
// which the configuration names, and the name of an ignore file.
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

// Admits reports whether a scan lists a file with this path and a format parses it. The file need
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
