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
	o, err := t.Outline(document.MemoryMark)
	if err != nil {
		return "", err
	}
	b := merkle.AppendText(merkle.AppendText(merkle.AppendList(nil, 3), "tree"), scope)
	if title := o.Parts[0].Derived.Title; title != "" {
		b = merkle.AppendText(b, title)
	} else {
		nodes, _ := At(document.MemoryMark, o).Nodes(func(Claim) bool { return true })
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

// TreePlace returns the place of the last node of way, which leads to it from the root
// of its tree, node by node. get finds siblings. O(siblings on the way).
func TreePlace(way []*Node, get func(id string) (*Node, bool)) merkle.Digest {
	place := outlineOf(way[0].ID)
	for i, n := range way[1:] {
		key, ordinal := n.siblingKey(), 0
		for _, id := range way[i].Kids {
			if id == n.ID {
				break
			}
			if k, ok := get(id); ok && k.siblingKey() == key {
				ordinal++
			}
		}
		place = placeOf(key, place, ordinal)
	}
	return place
}

// SamePlace reports whether a branch with the root t can replace the branch with the
// root n without changing a derived id beside or above it.
func (n *Node) SamePlace(t *ast.Tree) bool { return n.siblingKey() == t.Key() }

// Below reads the outline of a branch of a tree, to be attached at stem. A branch that
// HasCustom must be put with its whole document instead. Errors as ast.Tree.Branch.
func Below(stem Stem, t *ast.Tree) (*Outline, error) {
	o, err := t.Branch(stem.Parent.above())
	if err != nil {
		return nil, err
	}
	return &Outline{Outline: o, path: stem.Path, stem: &stem}, nil
}

// above returns what the children of a node of a tree inherit.
func (n *Node) above() ast.Above {
	return ast.Above{Level: n.Derived.Level + 1, Encrypted: n.Derived.Encrypted}
}

// Under returns a node of a tree as it is below parent, nil for a root: the node itself
// if it was derived for such a place, else a copy with derived fields of its own. Its
// children are not changed.
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
