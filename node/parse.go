// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
)

// At returns an outline as that of the document at path.
func At(path string, o *document.Outline) *Outline { return &Outline{Outline: o, path: path} }

// Read reads the outline of the file at path, as one opaque part if opaque is set.
// O(len(text)).
func Read(formats document.Formats, path, text string, opaque bool, files document.Files) *Outline {
	var f document.Format = document.Opaque{}
	if !opaque {
		f = formats.Of(path)
	}
	return At(path, f.Outline(path, []document.Part{{Parent: -1, Type: document.TypeDocument, Content: text}}, files))
}

// Reread reads the outline of a document from its nodes.
func Reread(formats document.Formats, nodes []*Node, files document.Files) *Outline {
	path := nodes[0].Path
	if IsTree(nodes) {
		parts, _ := partsOf(nodes)
		return At(path, ast.Format{}.Outline(path, parts, files))
	}
	text := Join(nodes)
	return Read(formats, path, text, nodes[0].Derived.Opaque && formats.KeptWhole(path, text) == "", files)
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

// Part returns the node's own data, without its place.
func (n *Node) Part() *document.Part {
	return &document.Part{Type: n.Type, Attrs: n.Attrs, Content: n.Content, Bare: n.Bare, Derived: n.Derived}
}

// Join returns the text of the file whose nodes are given in document order.
func Join(nodes []*Node) string {
	if len(nodes) == 1 {
		return nodes[0].Content
	}
	size := 0
	for _, n := range nodes {
		size += len(n.Content)
	}
	var b strings.Builder
	b.Grow(size)
	for _, n := range nodes {
		b.WriteString(n.Content)
	}
	return b.String()
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
	f := formats.Of(path)
	if IsTree(nodes) {
		f = ast.Format{}
	}
	o := f.Outline(path, parts, files)
	if len(nodes) == 1 && len(o.Parts) > 1 { // kept opaque by the configuration
		o = document.Opaque{}.Outline(path, parts, files)
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
	if IsTree([]*Node{n}) && n.Type != document.TypeHeadline || document.IsMemory(n.Path) || len(n.Attrs) > 0 || n.Bare {
		n.Derived = ast.Derive(n.Attrs, n.Content, ast.Above{})
		return
	}
	parts := Read(formats, n.Path, n.Content, false, nil).Parts
	i := 0
	if n.Type == document.TypeHeadline && len(parts) > 1 {
		i = 1
	}
	n.Derived = parts[i].Derived
}
