// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"strings"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Property returns the value of a node's property with what it inherits, and
// whether there is one, as org-entry-get with inherit does: the first KEY on the
// way up, with what KEY+ adds below it. The key is matched without case.
// Complexity is that of the properties on the way to the document.
func (s *State) Property(n *node.Node, key string) (string, bool) {
	var v org.Values
	for {
		for _, p := range n.Derived.Properties {
			v.Add(key, p.Key, p.Value)
		}
		parent, ok := s.nodes.Get(n.Parent)
		if v.Up() || !ok {
			return v.Join()
		}
		n = parent
	}
}

// Category returns a node's category: the nearest CATEGORY property that is not
// empty, its own or an ancestor's, else its file's #+CATEGORY, else the name of
// the file without folder and ending.
func (s *State) Category(n *node.Node) string {
	for {
		for _, p := range n.Derived.Properties {
			if strings.EqualFold(p.Key, "CATEGORY") && p.Value != "" {
				return p.Value
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
