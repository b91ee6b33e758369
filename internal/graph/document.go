// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/node"
)

// docNodes is a file or a tree in a state. Its nodes are listed on first use, so that a change of one branch
// need not touch all.
type docNodes struct {
	top  string // id of the document
	tree bool   // it is a tree
	extent

	once  sync.Once
	nodes []*node.Node // in document order
}

// extent is the size of a document, or a change of it.
type extent struct {
	size  int // number of nodes
	bytes int // of their content
}

// plus returns the extent with nodes added, or removed if sign is -1.
func (e extent) plus(sign int, nodes ...*node.Node) extent {
	for _, n := range nodes {
		e.size += sign
		e.bytes += sign * len(n.Content)
	}
	return e
}

// newDocument returns a document with the given nodes.
func newDocument(nodes []*node.Node) *docNodes {
	d := &docNodes{}
	d.init(nodes)
	return d
}

func (d *docNodes) init(nodes []*node.Node) {
	d.top, d.tree, d.extent = nodes[0].ID, nodes[0].IsTree(), extent{}.plus(1, nodes...)
	d.once.Do(func() { d.nodes = nodes })
}

// list returns the nodes, none of a nil document. get finds them by id, which works only until another
// document gets one of these ids.
func (d *docNodes) list(get func(id string) (*node.Node, bool)) []*node.Node {
	if d == nil {
		return nil
	}
	d.once.Do(func() { d.nodes = walk(d.top, d.size, get) })
	return d.nodes
}

// walk returns a node and all below it in document order, at most maxNodes of them.
func walk(top string, maxNodes int, get func(id string) (*node.Node, bool)) []*node.Node {
	var out []*node.Node
	for stack := []string{top}; len(stack) > 0 && len(out) < maxNodes; {
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

// IsTree reports whether the document at path is a tree.
func (s *State) IsTree(path string) bool {
	d, ok := s.documents.Get(path)
	return ok && d.tree
}

// Branch returns the tree of a node and all below it, nil for a node of a file.
// O(nodes of the branch).
func (s *State) Branch(id string) *ast.Tree {
	n, ok := s.Get(id)
	if !ok || !s.IsTree(n.Path) {
		return nil
	}
	return node.TreeOf(walk(id, s.Len(), s.nodes.Get))
}

// cutPrefix returns what follows the joined text of nodes in a text.
func cutPrefix(text string, nodes []*node.Node) (rest string, ok bool) {
	for _, n := range nodes {
		if text, ok = strings.CutPrefix(text, n.Content); !ok {
			return "", false
		}
	}
	return text, true
}

// Holds reports whether a document has exactly these bytes. It does not join its nodes.
func (s *State) Holds(path, text string) bool {
	nodes := s.Nodes(path)
	rest, ok := cutPrefix(text, nodes)
	return nodes != nil && ok && rest == ""
}

// Size returns the number of bytes of a document, 0 for none. One lookup.
func (s *State) Size(path string) int {
	d, ok := s.documents.Get(path)
	if !ok {
		return 0
	}
	return d.bytes
}
