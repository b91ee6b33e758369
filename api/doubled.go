// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
)

// doubled says which other nodes declare the ID of a node, or whose conflict copy its file is;
// "" for neither.
func doubled(v *fovea.View, n *node.Node) string {
	var others []*node.Node
	if id := n.Derived.DeclaredID; id != "" {
		for _, o := range v.Declaring(id) {
			if o.ID != n.ID {
				others = append(others, o)
			}
		}
	}
	said := ""
	if of := v.CopyOf(n.Path); of != "" {
		said = fmt.Sprintf("%q is a conflict copy of %q; fovea resolve %q merges it into that file. ", n.Path, of, n.Path)
	}
	if len(others) > 0 {
		said += fmt.Sprintf("The ID %s is declared in %s as well.", n.Derived.DeclaredID, places(v, others))
	}
	return strings.TrimSpace(said)
}

// places names where nodes are.
func places(v *fovea.View, nodes []*node.Node) string {
	var out []string
	lines := linesOf(v, nodes)
	for i, n := range nodes {
		out = append(out, fmt.Sprintf("%s:%d", n.Path, lines[i]))
	}
	return scope.Abbreviate(out, "")
}

// branch returns a node and all below it, nil if there is none.
func branch(v *fovea.View, id string) []*node.Node {
	n, ok := v.Get(id)
	if !ok {
		return nil
	}
	out := []*node.Node{n}
	for _, kid := range n.Kids {
		out = append(out, branch(v, kid)...)
	}
	return out
}

// stillThere says where the text of forgotten nodes still is, also in conflict copies, which
// no search finds: under their IDs, or word for word. "" for nowhere. O(nodes).
func stillThere(v *fovea.View, gone []*node.Node) string {
	forgotten := map[string]bool{}
	for _, n := range gone {
		forgotten["id "+n.Derived.DeclaredID] = n.Derived.DeclaredID != ""
		forgotten[saying(n)] = true
	}
	var left []*node.Node
	for n := range v.All() {
		if forgotten["id "+n.Derived.DeclaredID] || forgotten[saying(n)] {
			left = append(left, n)
		}
	}
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("The text, or its ID, is still in %s; forget it there as well.", places(v, left))
}

// minSaying is the number of bytes from which a text is known without its title.
const minSaying = 12

// saying is what a node says, but for white space: its text, with its title if that is short.
func saying(n *node.Node) string {
	text := strings.Join(strings.Fields(n.Body()), " ")
	if len(text) < minSaying {
		text = n.Title() + "\n" + text
	}
	return text
}
