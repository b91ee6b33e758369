// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import "github.com/fovea-memory/fovea/node"

// Problems parses documents again, on all processors, and returns what is odd in each:
// of the i-th path the i-th list, nil for a document that is not there, or opaque for
// another reason than its size.
// What also finds in a text follows. What is said of a document depends on its nodes and
// on those of its setup files alone. O(bytes).
func (s *State) Problems(paths []string, also func(path, text string) []node.Problem) [][]node.Problem {
	out := make([][]node.Problem, len(paths))
	sideBySide(len(paths), func(i int) {
		if d, ok := s.Document(paths[i]); ok && (!d.Derived.Opaque || node.IsOrg(paths[i]) && node.KeptWhole(d.Content) != "") {
			text, _ := s.Text(paths[i])
			out[i] = append(s.problems(paths[i]), also(paths[i], text)...)
		}
	})
	return out
}

func (s *State) problems(path string) (found []node.Problem) {
	bears := func(c node.Claim) bool {
		list, ok := s.contested.Get(c.ID)
		return !ok || list[0] == c
	}
	if o, err := node.ParseAgain(s.Nodes(path), reading(path, s.defaults, s.Nodes)); err == nil {
		_, found = o.Nodes(bears)
	}
	return found
}

// Rivals lists the nodes that declare the id of a node and do not bear it. O(1) for an
// id that nobody else claims, else the nodes of the documents that do.
func (s *State) Rivals(n *node.Node) []*node.Node {
	claims, _ := s.contested.Get(n.ID)
	var out []*node.Node
	for _, c := range claims {
		if c.Path == n.Path {
			continue
		}
		for _, o := range s.Nodes(c.Path) {
			if o.Wish() == n.ID {
				out = append(out, o)
			}
		}
	}
	return out
}
