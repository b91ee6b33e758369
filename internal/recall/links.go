// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// links yields the links of a node's own text with link abbreviations expanded. Offsets
// refer to the text.
func (r *reader) links(n *node.Node) iter.Seq[org.Link] {
	text := Readable(n)
	lines := r.linkLinesOf(n.Path)
	if lines == "" {
		return org.Links(text)
	}
	return func(yield func(org.Link) bool) {
		// Lines after the text take effect and move no offset in it. The headline closes
		// constructs that the text leaves open.
		for l := range org.Links(text + "\n* settings\n" + lines) {
			if l.Start >= len(text) || !yield(l) {
				return
			}
		}
	}
}

// linkLinesOf returns the #+LINK lines in force in a document, including the ones of its
// setup files. It parses a document only if it may have some, once per query.
func (r *reader) linkLinesOf(path string) string {
	lines, ok := r.linkLines[path]
	if ok {
		return lines
	}
	format := orgOf(r.state.Formats())
	defaults := format.Defaults
	if nodes := r.state.Nodes(path); mayAbbreviate(nodes) || defaults != nil && len(defaults.Links) > 0 {
		var b strings.Builder
		if doc := format.Document(path, node.Join(nodes), r.state.Files); doc != nil {
			for _, k := range doc.Settings {
				if k.Key == "LINK" {
					b.WriteString("#+LINK: " + k.Value + "\n")
				}
			}
		}
		lines = b.String()
	}
	r.linkLines[path] = lines
	return lines
}

// orgOf returns Org among the formats.
func orgOf(formats document.Formats) org.Format {
	for _, f := range formats {
		if f, ok := f.(org.Format); ok {
			return f
		}
	}
	return org.Format{}
}

// mayAbbreviate reports whether a document or its setup files may have #+LINK lines. It
// avoids parsing and may report false positives only.
func mayAbbreviate(nodes []*node.Node) bool {
	return len(nodes) > 0 && len(nodes[0].Derived.Setup) > 0 ||
		slices.ContainsFunc(nodes, func(n *node.Node) bool { return linkKeyword.MatchString(n.Content) })
}

var linkKeyword = regexp.MustCompile(`(?i)#\+LINK:`)
