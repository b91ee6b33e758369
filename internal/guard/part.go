// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// What a Part is.
const (
	Document = "document" // what stands before the first headline, or all of a file that is no Org
	Headline = "headline"
	Block    = "block" // a src block
)

// Part is a piece of a protected file that has a digest of its own.
type Part struct {
	Kind   string
	Where  string        // titles from the top down; of a block also its name or language
	Digest merkle.Digest // of a document or headline its own digest, of a block the SHA-256 of its bytes
	Text   string        // its bytes, "" where only the digest is known
}

// longestWhere bounds Part.Where in bytes.
const longestWhere = 200

// Parts lists the parts of a file in order: each node, and behind it the src
// blocks in its text. nodes are those of one document, in order. Strings of the
// result share their memory. Complexity is that of parsing the file.
func Parts(nodes []*node.Node) []Part {
	parts := make([]Part, 0, len(nodes))
	var trail []string
	var doc *org.Document
	if len(nodes) > 0 && !nodes[0].Derived.Opaque {
		doc = node.Parse(node.Join(nodes), nil)
	}
	for i, n := range nodes {
		kind, where := Document, ""
		if i > 0 {
			kind = Headline
			level := max(1, n.Derived.Level)
			trail = append(trail[:min(len(trail), level-1)], n.Title())
			where = cut(strings.Join(trail, " / "))
		}
		parts = append(parts, Part{Kind: kind, Where: where, Digest: n.Own, Text: n.Content})
		if doc != nil && i <= len(doc.Headlines) {
			parts = appendBlocks(parts, doc.Elements(i-1), where)
		}
	}
	return parts
}

// appendBlocks adds the src blocks of a section.
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
			Kind: Block, Where: cut(strings.TrimPrefix(where+" / "+label, " / ")), Digest: merkle.Sum([]byte(text)), Text: text,
		})
	}
	return parts
}

// cut bounds a label and makes it text.
func cut(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= longestWhere {
		return s
	}
	end := longestWhere
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
