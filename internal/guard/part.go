// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// The kinds of parts.
const (
	Document = "document" // the text before the first headline, or an entire opaque file
	Headline = "headline"
	Block    = "block" // a src block
)

// Part is a piece of a protected file with its own digest.
type Part struct {
	Kind   string
	Where  string        // titles from the top down; for a block also its name or language
	Digest merkle.Digest // own digest of a document or headline; SHA-256 of the bytes of a block
	Text   string        // its bytes; "" if only the digest is known
}

// maxWhere is the maximum length of Part.Where in bytes.
const maxWhere = 200

// Parts lists the parts of a document in order, given its nodes in order: each node,
// followed by the src blocks in its text. The result shares the memory of the nodes'
// strings. It costs as much as parsing the file.
func Parts(nodes []*node.Node) []Part {
	parts := make([]Part, 0, len(nodes))
	var trail []string
	var doc *org.Document
	if len(nodes) > 0 && !nodes[0].Derived.Opaque {
		doc = org.Format{}.Document(nodes[0].Path, node.Join(nodes), nil)
	}
	for i, n := range nodes {
		kind, where := Document, ""
		if i > 0 {
			kind = Headline
			level := max(1, n.Derived.Level)
			trail = append(trail[:min(len(trail), level-1)], n.Title())
			where = truncate(strings.Join(trail, " / "), maxWhere)
		}
		parts = append(parts, Part{Kind: kind, Where: where, Digest: n.Own, Text: n.Content})
		if doc != nil && i <= len(doc.Headlines) {
			parts = appendBlocks(parts, doc.Elements(i-1), where)
		}
	}
	return parts
}

// appendBlocks appends the src blocks of a section.
func appendBlocks(parts []Part, tree *org.Tree, where string) []Part {
	for i, e := range tree.Elements {
		if e.Type != org.TypeSrcBlock {
			continue
		}
		label := tree.Block(i).Language
		if name := tree.Name(i); name != "" {
			label = name
		}
		text := tree.Source[e.Start:e.End]
		parts = append(parts, Part{
			Kind: Block, Where: truncate(strings.TrimPrefix(where+" / "+label, " / "), maxWhere), Digest: merkle.Sum([]byte(text)), Text: text,
		})
	}
	return parts
}

// truncate makes a text valid UTF-8 of at most limit bytes.
func truncate(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.ToValidUTF8(s[:min(limit, len(s))], "")
}
