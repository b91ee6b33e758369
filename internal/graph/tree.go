// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/node"
)

// tree is a document that came as a tree. Its nodes are listed when they are first
// asked for, so that a change of one leaf need not touch all.
type tree struct {
	top  string // id of the root
	size int    // nodes

	once  sync.Once
	nodes []*node.Node // in document order
}

// plant makes a tree of nodes that are known.
func plant(nodes []*node.Node) *tree {
	t := &tree{top: nodes[0].ID, size: len(nodes)}
	t.once.Do(func() { t.nodes = nodes })
	return t
}

// list returns the nodes; get gives them by id as long as they are these.
func (t *tree) list(get func(id string) (*node.Node, bool)) []*node.Node {
	t.once.Do(func() { t.nodes = walk(t.top, t.size, get) })
	return t.nodes
}

// walk lists a node with all below it in document order, up to most nodes.
func walk(top string, most int, get func(id string) (*node.Node, bool)) []*node.Node {
	var out []*node.Node
	for stack := []string{top}; len(stack) > 0 && len(out) < most; {
		n, ok := get(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if !ok {
			continue
		}
		out = append(out, n)
		for _, k := range slices.Backward(n.Kids) {
			stack = append(stack, k)
		}
	}
	return out
}

// IsTree reports whether the document at path came as a tree.
func (s *State) IsTree(path string) bool {
	_, ok := s.trees.Get(path)
	return ok
}

// Branch gives back the tree below and with a node, nil where it is none of a
// document that came as a tree. O(nodes of the branch).
func (s *State) Branch(id string) *node.Tree {
	n, ok := s.Get(id)
	if !ok || !s.IsTree(n.Path) {
		return nil
	}
	return node.TreeOf(walk(id, s.Len(), s.nodes.Get))
}
