// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Property returns the value of a node's property with what it inherits, and
// whether there is one, as org-entry-get with inherit does: the nearest KEY on the
// way up, of two in one drawer the last, with what KEY+ adds below it. The key is matched without case.
// Complexity is that of the properties on the way to the document.
func (s *State) Property(n *node.Node, key string) (string, bool) {
	var v org.Values
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

// Category returns a node's category: the nearest CATEGORY property that is not
// empty, its own or an ancestor's, else its file's #+CATEGORY, else the name of
// the file without folder and ending.
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
