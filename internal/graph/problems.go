// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"context"
	"iter"

	"github.com/fovea-memory/fovea/node"
)

// Problems parses every document again and yields, by path, what is odd in
// those where something is. It ends early when ctx does.
func (s *State) Problems(ctx context.Context) iter.Seq2[string, []node.Problem] {
	bears := func(c node.Claim) bool {
		list, ok := s.contested.Get(c.ID)
		return !ok || list[0] == c
	}
	return func(yield func(string, []node.Problem) bool) {
		for _, path := range s.Paths() {
			if ctx.Err() != nil {
				return
			}
			if d, ok := s.Document(path); !ok || d.Derived.Opaque {
				continue
			}
			if s.IsTree(path) {
				if _, problems, _ := node.SplitTree(path, node.TreeOf(s.Nodes(path)), bears); len(problems) > 0 && !yield(path, problems) {
					return
				}
				continue
			}
			text, _ := s.Text(path)
			_, problems := node.Split(path, text, node.Parse(text, reading(path, s.Nodes)), bears)
			if len(problems) > 0 && !yield(path, problems) {
				return
			}
		}
	}
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
