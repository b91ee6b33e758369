// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Readable returns the text of a document as readers have it, without what is encrypted: of a
// subtree with the tag crypt, its headline is left. The lines keep their numbers. It is "" if
// all is encrypted; ok is false if there is no such document. O(bytes).
func (v *View) Readable(path string) (text string, ok bool) {
	nodes := v.state.Nodes(path)
	if len(nodes) == 0 || document.IsEncrypted(path) {
		return "", len(nodes) > 0
	}
	if nodes[0].Derived.Opaque {
		return v.ReadableFile(path, nodes[0].Content), true
	}
	if text, withheld := readable(nodes); withheld {
		return text, true
	}
	return v.Text(path)
}

// ReadableFile is Readable for the text of a file that is no parsed document of the view, such
// as a copy of one: if a headline in it has the tag crypt, it is read as Org. It is "" for a
// text with the word that is too large for that. O(bytes).
func (v *View) ReadableFile(path, text string) string {
	if lower := strings.ToLower(text); !strings.Contains(lower, document.CryptTag) && !strings.Contains(lower, "#+setupfile:") {
		return text
	}
	outline := node.Read(document.Formats{org.Format{}}, path+".org", v.state.Files, document.File(text, false))
	nodes, _ := outline.Nodes(func(node.Claim) bool { return true })
	if nodes[0].Derived.Opaque && strings.Contains(text, ":"+document.CryptTag+":") {
		return ""
	}
	if left, withheld := readable(nodes); withheld {
		return left
	}
	return text
}

// readable joins the nodes of a document without what is encrypted, and reports whether
// anything is.
func readable(nodes []*node.Node) (text string, withheld bool) {
	var b strings.Builder
	left := false
	encrypted := map[string]bool{}
	for _, n := range nodes {
		shown := recall.Readable(n)
		if n.Derived.Encrypted {
			withheld, encrypted[n.ID] = true, true
		}
		if n.Secret() || encrypted[n.Parent] {
			shown = ""
		}
		left = left || strings.TrimSpace(shown) != ""
		b.WriteString(shown)
		for range strings.Count(n.Content[len(shown):], "\n") {
			b.WriteByte('\n')
		}
	}
	if !left {
		return "", withheld
	}
	return b.String(), withheld
}
