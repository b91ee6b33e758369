// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// TreePath returns the path of the memory-backed document for a tree of a scope: "/"
// and the id its root declares, else an id derived from the scope and the root's title,
// else from the scope and the whole tree, so that two unnamed trees never collide and
// the same tree always has the same path. Errors as Tree.Check.
func TreePath(scope string, t *ast.Tree) (string, error) {
	if t != nil && t.ID() != "" {
		return document.MemoryPath(t.ID()), nil
	}
	parts, err := t.Parts(document.MemoryMark)
	if err != nil {
		return "", err
	}
	o := Read(nil, document.MemoryMark, nil, parts...)
	b := merkle.AppendText(merkle.AppendText(merkle.AppendList(nil, 3), "tree"), scope)
	if title := o.Parts[0].Derived.Title; title != "" {
		b = merkle.AppendText(b, title)
	} else {
		nodes, _ := o.Nodes(func(Claim) bool { return true })
		b = merkle.AppendLink(b, nodes[0].Version)
	}
	return document.MemoryPath(derive(merkle.Sum(b))), nil
}

// TreeOf returns the tree of a document's nodes, in document order; nil for none. Its
// parts remember the ids of their nodes (ast.Tree.Names).
func TreeOf(nodes []*Node) *ast.Tree {
	if len(nodes) == 0 {
		return nil
	}
	at := make(map[string]*ast.Tree, len(nodes))
	for _, n := range nodes {
		t := &ast.Tree{Type: n.Type, Attrs: n.Attrs, Content: n.Content, Bare: n.Bare, Known: n.ID}
		if up := at[n.Parent]; up != nil {
			up.Kids = append(up.Kids, t)
		}
		if len(n.Kids) > 0 {
			t.Kids = make([]*ast.Tree, 0, len(n.Kids))
		}
		at[n.ID] = t
	}
	return at[nodes[0].ID]
}

// siblingKey returns the key of a node of a tree among its siblings.
func (n *Node) siblingKey() document.Key { return ast.KeyOf(n.Type, n.Derived.Title) }

// HasCustom reports whether a node of a tree has a CUSTOM_ID.
func (n *Node) HasCustom() bool { return ast.Custom(n.Attrs) != "" }

// SamePlace reports whether a branch whose root has this key can replace the branch at n
// without changing a derived id of its siblings or ancestors.
func (n *Node) SamePlace(key document.Key) bool { return n.siblingKey() == key }

// above returns what the children of a node of a tree inherit.
func (n *Node) above() ast.Above {
	return ast.Above{Level: n.Derived.Level + 1, Encrypted: n.Derived.Encrypted}
}

// Under returns a node of a tree as it is below parent, which is nil for a root: the node
// itself if its derived fields fit that place, else a copy with new derived fields. The
// children do not change.
func (n *Node) Under(parent *Node) *Node {
	var in ast.Above
	if parent != nil {
		in = parent.above()
	}
	if d := n.Derived; d != nil && d.Level == in.Level && d.Encrypted == (in.Encrypted || slices.Contains(d.Tags, document.CryptTag)) {
		return n
	}
	c := *n
	c.Derived = ast.Derive(n.Attrs, n.Content, in)
	return &c
}
