// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"regexp"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// insertion is a text to insert at an offset, to make the construct there inactive.
type insertion struct {
	at   int
	text string
}

// headlineTeX returns the insertions for the first headline of a document.
func headlineTeX(doc *org.Document) []insertion {
	if text := doc.Text(0); !strings.ContainsAny(text, `\$`) {
		return nil
	}
	var cuts []insertion
	tree := doc.Objects(0)
	for k := range tree.Elements {
		if cut, isTeX := elementTeX(tree, k); isTeX {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// unicodeEscape matches a JSON escape of a character. TeX reads it as an accent over the
// digit after it, or as an undefined name.
var unicodeEscape = regexp.MustCompile(`^\\u[0-9a-fA-F]{4}`)

// elementTeX returns the insertion that makes one object or environment of a tree plain text, at an
// offset in its source, and whether it needs one. Org passes TeX unchanged to TeX, MathJax and HTML,
// where it could read a file or run a program, so text of agents is never typeset.
func elementTeX(tree *org.Tree, k int) (cut insertion, isTeX bool) {
	el := &tree.Elements[k]
	switch el.Type {
	case org.TypeLatexFragment, org.TypeLatexEnvironment:
		text := strings.TrimLeft(tree.Source[el.Body:el.End], " \t")
		from := int(el.End) - len(text)
		if len(unicodeEscape.FindString(tree.Source[from:])) >= len(strings.TrimSpace(text)) {
			return insertion{}, false
		}
		if strings.HasPrefix(text, "$") && !strings.HasPrefix(text, "$$") {
			return insertion{from + 1, " "}, true
		}
		return insertion{from + 1, zeroWidthSpace}, true
	case org.TypeCitation: // the text around its keys is not parsed
		return insertion{int(el.Start) + 1, zeroWidthSpace}, strings.ContainsAny(tree.Text(k), `\$`)
	}
	return insertion{}, false
}
