// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// isTree reports whether a document is a tree in any of the states.
func (m *merge) isTree(path string) bool {
	return slices.ContainsFunc(m.states(), func(s *State) bool { return s.IsTree(path) })
}

// trees puts the documents that are trees. A change wins over a deletion.
func (m *merge) trees(d *Draft) {
	for _, path := range m.paths {
		if !m.isTree(path) {
			continue
		}
		b, w, l := versionAt(m.base, path), versionAt(m.won, path), versionAt(m.lost, path)
		switch {
		case b == l || w == l:
			d.Adopt(path, m.won.Nodes(path), 0)
		case b == w || w.IsZero() && !m.own.Undo:
			d.Adopt(path, m.lost.Nodes(path), 0)
		case w.IsZero() || l.IsZero():
			d.Adopt(path, m.won.Nodes(path), 0)
		default:
			m.both(d, path)
		}
	}
}

// both merges a tree that both sides changed. If the result is invalid, such as a tree of
// too many nodes, the winner's stays and the other is in the history.
func (m *merge) both(d *Draft, path string) {
	var trees [3]*ast.Tree
	for v, s := range m.states() {
		if nodes := s.Nodes(path); !hasGone(nodes) { // only base can lack content
			trees[v] = node.TreeOf(nodes)
		}
	}
	merged, conflicts := ast.Merge(&m.own, trees[inBase], trees[inWon], trees[inLost])
	if parts, err := merged.Parts(path); err == nil {
		d.Put(path, parts...)
	} else {
		d.Adopt(path, m.won.Nodes(path), 0)
		conflicts = []document.Conflict{{ID: top(m.won, path).ID, Field: "tree", By: m.own.Lost}}
	}
	for _, c := range conflicts {
		c.Path = path
		m.conflicts = append(m.conflicts, c)
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
