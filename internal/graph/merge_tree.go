// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/text"
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

// both merges a tree that both sides changed. If the result is invalid, for example too large, the winner's
// stays and the other is in the history.
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
		won, _ := m.won.Document(path)
		conflicts = []document.Conflict{{ID: won.ID, Field: "tree", By: m.own.Lost}}
	}
	for _, c := range conflicts {
		c.Path = path
		m.conflicts = append(m.conflicts, c)
	}
}

// versionAt returns the version of a document; zero for none.
func versionAt(s *State, path string) merkle.Digest {
	if n, ok := s.Document(path); ok {
		return n.Version
	}
	return merkle.Digest{}
}

// KeepIgnored returns the state of one side of a merge with the documents, listed by path, that it lost since
// base only because its own ignore files name them now, and that the other side has: what one machine ignores
// is not deleted on another. A document whose headlines are all in other documents has moved. Without such
// documents it returns side itself. O(changes since base).
func KeepIgnored(base, side, other *State, now int64) (*State, []string) {
	var kept []string
	for _, path := range Diff(base, side).Paths {
		if _, had := base.Document(path); !had || document.IsMemory(path) {
			continue
		}
		if _, has := side.Document(path); has {
			continue
		}
		headlines := base.Nodes(path)[1:]
		if _, has := other.Document(path); !has || len(headlines) > 0 && !slices.ContainsFunc(headlines, func(n *node.Node) bool {
			_, moved := side.Get(n.ID)
			return !moved
		}) {
			continue
		}
		if ignored, _ := text.Excluded(path, document.IgnoreFile, func(at string) (string, error) {
			text, _ := side.Text(at)
			return text, nil
		}); ignored {
			kept = append(kept, path)
		}
	}
	if len(kept) == 0 {
		return side, nil
	}
	draft := side.Edit(now)
	for _, path := range kept {
		draft.Put(path, node.Parts(base.Nodes(path))...)
	}
	state, _ := draft.Seal()
	return state, kept
}
