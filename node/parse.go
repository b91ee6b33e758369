// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Parse parses an Org document, or returns nil for a text that is kept whole (see
// KeptWhole).
func Parse(text string, opts *org.Options) *org.Document {
	if KeptWhole(text) != "" {
		return nil
	}
	return org.Parse(text, opts)
}

// ParseFile reads the outline of the file at path: of an Org file, or of an opaque one,
// which is a single part. An Org file over the limits is opaque, with a problem that
// says why. O(len(text)).
func ParseFile(path, text string, opaque bool, opts *org.Options) *Outline {
	if opaque {
		return opaqueOutline(path, text)
	}
	if why := KeptWhole(text); why != "" {
		o := opaqueOutline(path, text)
		o.Problems = []document.Problem{{Path: path, Line: 1, Kind: "syntax", Message: why}}
		return o
	}
	return orgOutline(path, org.Parse(text, opts))
}

func opaqueOutline(path, text string) *Outline {
	return outlineAt(path, []document.Part{{Parent: -1, Type: TypeDocument, Content: text, Derived: &document.Derived{Opaque: true}, Line: 1}})
}

func outlineAt(path string, parts []document.Part) *Outline {
	return &Outline{path: path, Outline: &document.Outline{Parts: parts, Label: orgLabel}}
}

// orgOutline returns the outline of a parsed document: the document, then its headlines.
func orgOutline(path string, doc *org.Document) *Outline {
	o := outlineAt(path, make([]document.Part, len(doc.Headlines)+1))
	derive := newDeriver(path, doc)
	o.Parts[0] = document.Part{
		Parent: -1, Type: TypeDocument, Content: doc.Source[:doc.SectionEnd], Derived: derive.document(), Line: 1, Refused: refused(doc.Properties),
	}
	line, at := 1, 0
	for i := range doc.Headlines {
		h := &doc.Headlines[i]
		line += strings.Count(doc.Source[at:h.Start], "\n")
		at = h.Start
		d := derive.headline(i)
		o.Parts[i+1] = document.Part{
			Parent: int(h.Parent) + 1, Type: TypeHeadline, Content: doc.Text(i), Derived: d,
			Key:    document.Key{Title: doc.OwnTitle(i)}, // independent of the defaults: ids depend on the files alone
			Custom: d.Last("CUSTOM_ID"), Line: line, Refused: refused(h.Properties),
		}
	}
	for _, d := range doc.Diagnostics {
		o.Problems = append(o.Problems, document.Problem{Path: path, Line: d.Line, Kind: "syntax", Message: d.Message})
	}
	return o
}

func orgLabel(_ int, property string) string { return property + " " }

// declared returns the usable id that a drawer declares, "" for none.
func declared(drawer []org.Property) string {
	if value, ok := plain(drawer, "ID"); ok && document.UnusableID(strings.TrimSpace(value)) == "" {
		return strings.TrimSpace(value)
	}
	return ""
}

// refused returns why the id that a drawer declares cannot be used, "" if it can.
func refused(drawer []org.Property) string {
	if value, ok := plain(drawer, "ID"); ok {
		return document.UnusableID(strings.TrimSpace(value))
	}
	return ""
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
// bytes: for nodes read from blocks, or from an image of another parser. It returns
// ErrShape if the parser no longer finds these nodes in the text. Nodes of a tree that
// have their derived fields are returned as they are.
func Rederive(nodes []*Node, opaque bool, opts *org.Options) ([]*Node, error) {
	if IsTree(nodes) {
		return rederiveTree(nodes)
	}
	path, text := nodes[0].Path, Join(nodes)
	var o *Outline
	if len(nodes) > 1 && !opaque {
		o = orgOutline(path, org.Parse(text, opts)) // it was parsed before, under whatever limits
	} else if o = ParseFile(path, text, opaque, opts); len(o.Parts) > 1 {
		o = opaqueOutline(path, text) // an Org file that the configuration keeps opaque
	}
	if len(o.Parts) != len(nodes) {
		return nil, ErrShape
	}
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		if len(o.Parts[i].Content) != len(n.Content) {
			return nil, ErrShape
		}
		c := *n
		c.Derived = o.Parts[i].Derived
		out[i] = &c
	}
	return out, nil
}

// DeriveAlone sets the derived fields of a node outside any document, such as an old
// version: keywords that its file declared are unknown. The node must not be in a state.
func DeriveAlone(n *Node, opts *org.Options) {
	if IsMemory(n.Path) || len(n.Attrs) > 0 || n.Bare || n.Type != TypeDocument && n.Type != TypeHeadline {
		n.Derived = deriveTree(n.Attrs, n.Content, inherited{})
		return
	}
	o := ParseFile(n.Path, n.Content, n.Type == TypeDocument && !IsOrg(n.Path), opts)
	i := 0
	if n.Type == TypeHeadline && len(o.Parts) > 1 {
		i = 1
	}
	n.Derived = o.Parts[i].Derived
}

// ParseAgain reads the outline of a document from its nodes. Errors as ParseTree.
func ParseAgain(nodes []*Node, opts *org.Options) (*Outline, error) {
	path := nodes[0].Path
	if IsTree(nodes) {
		return ParseTree(path, TreeOf(nodes))
	}
	text := Join(nodes)
	tooLarge := IsOrg(path) && KeptWhole(text) != ""
	return ParseFile(path, text, nodes[0].Derived.Opaque && !tooLarge, opts), nil
}
