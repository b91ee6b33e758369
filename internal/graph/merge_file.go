// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// MergeFile merges two versions of an Org file with a common base, as Merge does, outside
// any memory and without setup files. The version with the greater digest wins, so that
// the result does not depend on their order; who returns the name of a version for
// conflicts. It returns the text and the conflicts.
func MergeFile(base, a, b string, who func(text string) string) (string, []node.Conflict) {
	const path = "merge.org"
	state := func(text string) *State {
		d := (&State{}).Edit(0)
		d.Put(path, text, false)
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
