// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/node"
)

// Problems parses documents again, on all processors, and returns the problems of the i-th
// path, with those that also finds in its text, in the i-th list. The list is nil for a
// missing document, and for one that is opaque for another reason than its size. Problems
// depend only on the nodes of a document and of its setup files. O(bytes).
func (s *State) Problems(paths []string, also func(path, text string) []document.Problem) [][]document.Problem {
	out := make([][]document.Problem, len(paths))
	bound.Each(len(paths), func(i int) {
		if d, ok := s.Document(paths[i]); ok && (!d.Derived.Opaque || s.formats.KeptWhole(paths[i], d.Content) != "") {
			text, _ := s.Text(paths[i])
			out[i] = append(s.problems(paths[i]), also(paths[i], text)...)
		}
	})
	return out
}

func (s *State) problems(path string) (found []document.Problem) {
	bears := func(c node.Claim) bool {
		list, ok := s.contested.Get(c.ID)
		return !ok || list[0] == c
	}
	o, of := node.Read(s.formats, path, s.Files, node.Parts(s.Nodes(path))...), s.CopyOf(path)
	o.Copy = of != ""
	if _, found = o.Nodes(bears); o.Copy {
		found = append(found, document.Problem{Path: path, Line: 1, Kind: "copy", Message: "a conflict copy of " + document.Quote(of) +
			", left out of windows and search; fovea resolve " + document.Quote(path) + " merges it into that file"})
	}
	return found
}

// Rivals returns the nodes of other documents that claim the id of a node, those of conflict
// copies apart. O(1) for an uncontested id, else O(nodes of those documents).
func (s *State) Rivals(n *node.Node) []*node.Node {
	claims, _ := s.contested.Get(n.ID)
	var out []*node.Node
	for _, c := range claims {
		if c.Path == n.Path {
			continue
		}
		for _, o := range s.Nodes(c.Path) {
			if o.ClaimedID() == n.ID {
				out = append(out, o)
			}
		}
	}
	return out
}
