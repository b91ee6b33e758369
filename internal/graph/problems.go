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
