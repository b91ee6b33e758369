// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// fieldTree is the field of a conflict about a document that came as a tree: the
// winner's stands, and the other one is in the history.
const fieldTree = "tree"

// isTree reports whether a document came as a tree, in any of the states.
func (m *merge) isTree(path string) bool {
	return slices.ContainsFunc(m.states(), func(s *State) bool { return s.IsTree(path) })
}

// trees puts the documents that came as trees, each as one side has it.
func (m *merge) trees(d *Draft) {
	for _, path := range m.paths {
		if !m.isTree(path) {
			continue
		}
		b, w, l := versionAt(m.base, path), versionAt(m.won, path), versionAt(m.lost, path)
		from := m.won
		switch {
		case b == l:
		case b == w, w.IsZero() && !m.own.Undo: // a change is more than a removal
			from = m.lost
		case w != l && !l.IsZero():
			m.conflicts = append(m.conflicts, node.Conflict{ID: idOf(top(m.won, path)), Path: path, Field: fieldTree, By: m.own.Lost})
		}
		d.Adopt(path, from.Nodes(path), 0)
	}
}

func top(s *State, path string) *node.Node {
	n, _ := s.Document(path)
	return n
}

// versionAt returns the version of a document; zero for none.
func versionAt(s *State, path string) merkle.Digest {
	if n := top(s, path); n != nil {
		return n.Version
	}
	return merkle.Digest{}
}
