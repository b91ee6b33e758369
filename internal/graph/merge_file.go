// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// MergeFile merges two versions of the file at path with a common base, as Merge does, outside
// any memory and without setup files. The version with the greater digest wins, so that
// the result does not depend on their order; who returns the name of a version for
// conflicts. It returns the text and the conflicts.
func MergeFile(formats document.Formats, path, base, a, b string, who func(text string) string) (string, []document.Conflict) {
	state := func(text string) *State {
		d := Empty(formats).Edit(0)
		d.Put(path, document.File(text, false))
		s, _ := d.Seal()
		return s
	}
	side := func(text string) Side {
		return Side{State: state(text), Who: who(text), Digest: merkle.Sum([]byte(text))}
	}
	d, conflicts := Merge(state(base), side(a), side(b), 0)
	merged, _ := d.Seal()
	text, _ := merged.Text(path)
	return text, conflicts
}
