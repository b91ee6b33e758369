// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast

import (
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Format is the format of trees. A tree has no file, or is laid over a file.
type Format struct{}

// Owns reports whether the document at a path has no file.
func (Format) Owns(path string) bool { return document.IsMemory(path) }

// Outline derives the fields of the parts of a tree.
func (Format) Outline(_ string, stored []document.Part, _ document.Files) *document.Outline {
	return derived(stored, Above{})
}

// LinkLines is that of Org, because the contents of a tree are Org.
func (Format) LinkLines(content string) map[string]int { return org.Format{}.LinkLines(content) }

// LinkTitle is that of Org.
func (Format) LinkTitle(title string) string { return org.Format{}.LinkTitle(title) }

// Above is what a part of a tree inherits from its ancestors.
type Above struct {
	Level     int // of the part
	Encrypted bool
}

// derived derives the fields of the parts of a branch.
func derived(parts []document.Part, top Above) *document.Outline {
	for i := range parts {
		p, in := &parts[i], top
		if p.Parent >= 0 {
			up := parts[p.Parent].Derived
			in = Above{up.Level + 1, up.Encrypted}
		}
		p.Derived = Derive(p.Attrs, p.Content, in)
		p.Key, p.Custom = KeyOf(p.Type, p.Derived.Title), Custom(p.Attrs)
	}
	return &document.Outline{Parts: parts, Label: func(part int, property string) string {
		return where(func(of int) int { return parts[of].Parent }, part, "properties."+property)
	}}
}

// IsTree reports whether a document at a path with this first part is a tree: it has no
// file, or it is laid over a file, and its root names the file in an attribute or has a
// type that files do not have.
func IsTree(path string, root *document.Part) bool {
	return document.IsMemory(path) || len(root.Attrs) > 0 || root.Type != document.TypeDocument
}

// Parts returns the parts of a whole tree at path, which is the result of node.TreePath or
// the file that the tree is laid over. Errors: that of Check; ErrTree for a tree laid over
// a file that it does not name. O(nodes).
func (t *Tree) Parts(path string) ([]document.Part, error) {
	parts, err := t.parts(0)
	if err == nil && !IsTree(path, &parts[0]) {
		return nil, invalid("properties: a tree laid over a file names it, by ID, PATH or FILE")
	}
	return parts, err
}

// Branch reads a part of a tree that inherits top. Errors: that of Check; ErrTree for a
// branch that would be too deep.
func (t *Tree) Branch(top Above) (*document.Outline, error) {
	parts, err := t.parts(top.Level)
	if err != nil {
		return nil, err
	}
	return derived(parts, top), nil
}

// KeyOf returns the key of a part of a tree: its title, else its type.
func KeyOf(typ, title string) document.Key {
	if title != "" {
		return document.Key{Title: title}
	}
	return document.Key{Type: typ}
}

// Key returns the key of the tree's root among its siblings.
func (t *Tree) Key() document.Key {
	return KeyOf(t.Type, document.Lookup(t.Attrs, "TITLE").String())
}

// Custom returns the CUSTOM_ID among attributes, "" for none.
func Custom(attrs []document.Attr) string {
	if v := document.Lookup(attrs, "CUSTOM_ID"); v.Kind() == document.KindText {
		return v.String()
	}
	return ""
}
