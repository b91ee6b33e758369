// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// TreePath returns the path of the memory-backed document for a tree of a scope: "/"
// and the id its root declares, else an id derived from the scope and the root's title,
// else from the scope and the whole tree, so that two unnamed trees never collide and
// the same tree always has the same path. Errors as Tree.Check.
func TreePath(scope string, t *Tree) (string, error) {
	if t != nil && t.ID() != "" {
		return MemoryPath(t.ID()), nil
	}
	o, err := ParseTree(memoryMark, t)
	if err != nil {
		return "", err
	}
	b := merkle.AppendText(merkle.AppendText(merkle.AppendList(nil, 3), "tree"), scope)
	if title := o.Parts[0].Derived.Title; title != "" {
		b = merkle.AppendText(b, title)
	} else {
		nodes, _ := o.Nodes(func(Claim) bool { return true })
		b = merkle.AppendLink(b, nodes[0].Version)
	}
	return MemoryPath(derive(merkle.Sum(b))), nil
}

// ParseTree reads the outline of a whole tree at path, which is that of TreePath or of
// the file that the tree is laid over. Errors: that of Tree.Check; ErrTree for a tree
// laid over a file that it does not name. O(nodes and their bytes).
func ParseTree(path string, t *Tree) (*Outline, error) {
	o, err := treeOutline(path, t, inherited{})
	if err == nil && !IsMemory(path) && len(t.Attrs) == 0 && t.Type == TypeDocument {
		return nil, fmt.Errorf("properties: a tree laid over a file names it, by ID, PATH or FILE: %w", document.ErrTree)
	}
	return o, err
}

// ParseBranch reads the outline of a part of a tree, to be attached at stem. A branch
// that HasCustom must be put with its whole document instead.
func ParseBranch(stem Stem, t *Tree) (*Outline, error) {
	o, err := treeOutline(stem.Path, t, stem.Parent.inherits())
	if err == nil {
		o.stem = &stem
	}
	return o, err
}

// treeOutline returns the outline of a tree that inherits top.
func treeOutline(path string, t *Tree, top inherited) (*Outline, error) {
	spots, err := t.layout()
	if err != nil {
		return nil, err
	}
	o := outlineAt(path, make([]document.Part, len(spots)))
	o.Label = func(part int, property string) string { return where(spots, part, "properties."+property) }
	for i, at := range spots {
		in := top
		if at.parent >= 0 {
			up := o.Parts[at.parent].Derived
			in = inherited{up.Level + 1, up.Encrypted}
		}
		if in.level >= MaxTreeDepth {
			return nil, fmt.Errorf("%sdeeper than %d in the whole tree: %w", where(spots, i, ""), MaxTreeDepth, document.ErrTree)
		}
		d := deriveTree(at.tree.Attrs, at.tree.Content, in)
		o.Parts[i] = document.Part{
			Parent: at.parent, Type: at.tree.Type, Attrs: at.tree.Attrs, Content: at.tree.Content, Bare: at.tree.Bare,
			Derived: d, Key: treeKey(at.tree.Type, d.Title), Custom: attrText(at.tree.Attrs, "CUSTOM_ID"),
		}
	}
	return o, nil
}

// treeKey returns the key of a part of a tree: its title, else its type.
func treeKey(typ, title string) document.Key {
	if title != "" {
		return document.Key{Title: title}
	}
	return document.Key{Type: typ}
}

func (n *Node) treeKey() document.Key { return treeKey(n.Type, n.Derived.Title) }

// attrText returns the value of an attribute that is text, "" for none.
func attrText(attrs []document.Attr, key string) string {
	if v := document.Lookup(attrs, key); v.Kind() == document.KindText {
		return v.String()
	}
	return ""
}

// HasCustom reports whether a node of a tree has a CUSTOM_ID.
func (n *Node) HasCustom() bool { return attrText(n.Attrs, "CUSTOM_ID") != "" }

// TreePlace returns the place of the last node of way, which leads to it from the root
// of its tree, node by node. get finds siblings. O(siblings on the way).
func TreePlace(way []*Node, get func(id string) (*Node, bool)) merkle.Digest {
	place := outlineOf(way[0].ID)
	for i, n := range way[1:] {
		key, ordinal := n.treeKey(), 0
		for _, id := range way[i].Kids {
			if id == n.ID {
				break
			}
			if k, ok := get(id); ok && k.treeKey() == key {
				ordinal++
			}
		}
		place = placeOf(key, place, ordinal)
	}
	return place
}

// SamePlace reports whether a branch with the root t can replace the branch with the
// root n without changing a derived id beside or above it.
func (n *Node) SamePlace(t *Tree) bool {
	return n.treeKey() == treeKey(t.Type, document.Lookup(t.Attrs, "TITLE").String())
}
