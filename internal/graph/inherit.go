// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// Property returns the value of a node's property with inheritance, and whether it exists,
// as org-entry-get with inherit does: the nearest KEY of the node or an ancestor, of
// several in one drawer the last, with the KEY+ values below it. Case is ignored.
// O(properties of the node and its ancestors).
func (s *State) Property(n *node.Node, key string) (string, bool) {
	var v document.Values
	for {
		for _, p := range n.Derived.Properties {
			v.Add(key, p.Key, p.Value)
		}
		parent, ok := s.nodes.Get(n.Parent)
		if v.EndDrawer() || !ok {
			return v.Join()
		}
		n = parent
	}
}

// Category returns a node's category: the nearest non-empty CATEGORY property, its own or
// an ancestor's, else its file's #+CATEGORY, else the file name without folder and
// extension.
func (s *State) Category(n *node.Node) string {
	for {
		for _, p := range slices.Backward(n.Derived.Properties) { // of several the last counts
			if strings.EqualFold(p.Key, "CATEGORY") {
				if p.Value != "" {
					return p.Value
				}
				break
			}
		}
		parent, ok := s.nodes.Get(n.Parent)
		if !ok {
			break
		}
		n = parent
	}
	if n.Derived.Category != "" {
		return n.Derived.Category
	}
	return node.BaseName(n.Path)
}

// Given reports whether the owner allows servers on other computers to see a node: the nearest property EMBED,
// of the node or those above it, is t. Any other value, also nil, revokes what a heading above grants. A node
// outside any file is not given: only a file expresses the owner's will. O(properties of the node and its
// ancestors).
func (s *State) Given(n *node.Node) bool {
	for ok := !s.IsTree(n.Path); ok; n, ok = s.Get(n.Parent) {
		if values := n.Derived.Property("EMBED"); len(values) > 0 {
			return strings.EqualFold(values[len(values)-1], "t")
		}
	}
	return false
}
