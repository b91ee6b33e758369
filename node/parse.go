// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
)

// FormatOf returns the format that reads a document from these parts: for a tree, the
// format of trees; for a file, the format of its path, or Opaque if it is stored that way.
func FormatOf(formats document.Formats, path string, parts []document.Part) document.Format {
	top := &parts[0]
	switch {
	case ast.IsTree(path, top):
		return ast.Format{}
	case top.Derived != nil && top.Derived.Opaque && formats.KeptWhole(path, top.Content) == "":
		return document.Opaque{}
	}
	return formats.Of(path)
}

// Read reads the outline of the document at path from its parts, which it may change: a
// document.File, those of an ast.Tree, or Parts of nodes. O(bytes).
func Read(formats document.Formats, path string, files document.Files, parts ...document.Part) *Outline {
	return &Outline{Outline: FormatOf(formats, path, parts).Outline(path, parts, files), path: path}
}

// Parts returns the parts from which Read reads the document of these nodes again: the text
// of a file, or the parts of a tree. Without nodes there are no parts.
func Parts(nodes []*Node) []document.Part {
	if len(nodes) > 0 && !nodes[0].IsTree() {
		return []document.Part{document.File(Join(nodes), nodes[0].Derived.Opaque)}
	}
	parts, _ := partsOf(nodes)
	return parts
}

// partsOf returns the stored parts of a document or branch; ErrShape if a node is not
// below the first.
func partsOf(nodes []*Node) ([]document.Part, error) {
	parts, at := make([]document.Part, len(nodes)), map[string]int{}
	for i, n := range nodes {
		parts[i] = *n.Part()
		parts[i].Parent = -1
		if i > 0 {
			up, ok := at[n.Parent]
			if !ok {
				return nil, ErrShape
			}
			parts[i].Parent = up
		}
		if len(n.Kids) > 0 {
			at[n.ID] = i
		}
	}
	return parts, nil
}

// IsTree reports whether the document of this first node is a tree.
func (n *Node) IsTree() bool { return ast.IsTree(n.Path, n.Part()) }

// Part returns the node's own data, without its place.
func (n *Node) Part() *document.Part {
	return &document.Part{Type: n.Type, Attrs: n.Attrs, Content: n.Content, Bare: n.Bare, Derived: n.Derived}
}

// Join returns the text of the file whose nodes are given in document order.
func Join(nodes []*Node) string {
	contents := make([]string, len(nodes))
	for i, n := range nodes {
		contents[i] = n.Content
	}
	return strings.Join(contents, "")
}

// Rederive returns copies of a document's nodes with derived fields read from their
// bytes: for nodes read from blocks, or from an image of another parser. Nodes that have
// these fields are returned as they are. It returns ErrShape if the format no longer
// finds these nodes in the text.
func Rederive(formats document.Formats, nodes []*Node, files document.Files) ([]*Node, error) {
	path := nodes[0].Path
	parts, err := partsOf(nodes)
	if err != nil {
		return nil, err
	}
	parts[0].Derived = nil // it may come from another parser
	o := Read(formats, path, files, parts...)
	if len(nodes) == 1 && len(o.Parts) > 1 { // kept opaque by the configuration
		o = Read(formats, path, files, document.File(nodes[0].Content, true))
	}
	if len(o.Parts) != len(nodes) {
		return nil, ErrShape
	}
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		d := o.Parts[i].Derived
		switch {
		case len(o.Parts[i].Content) != len(n.Content):
			return nil, ErrShape
		case n.Derived != nil && n.Derived.Equal(d):
			out[i] = n
		default:
			c := *n
			c.Derived, out[i] = d, &c
		}
	}
	return out, nil
}

// DeriveAlone sets the derived fields of a node outside any document, such as an old
// version: keywords that its file declared are unknown. The node must not be in a state.
func DeriveAlone(formats document.Formats, n *Node) {
	if n.IsTree() && n.Type != document.TypeHeadline || document.IsMemory(n.Path) || len(n.Attrs) > 0 || n.Bare {
		n.Derived = ast.Derive(n.Attrs, n.Content, ast.Above{})
		return
	}
	parts := Read(formats, n.Path, nil, document.File(n.Content, false)).Parts
	i := 0
	if n.Type == document.TypeHeadline && len(parts) > 1 {
		i = 1
	}
	n.Derived = parts[i].Derived
}
