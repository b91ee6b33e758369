// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Words is the arm of a node's own words: BM25 over the index that it returns, which
// holds the [Document] of each node of the view. It is the first arm.
type Words func() *index.Lexical

// Name returns "lexical".
func (Words) Name() string { return "lexical" }

// Rank scores nodes by the words that they share with the text and the focus.
func (w Words) Rank(req Request, _ []index.Hit) []index.Hit {
	text := req.Text
	if f := req.Focus; f != nil {
		text = f.Title() + "\n" + f.Body() + "\n" + text
	}
	return w().Search(index.Query{Text: text, Limit: req.Limit, Keep: req.Keep, Terms: req.Terms})
}

// Document returns a node's entry in the lexical index: title, own tags and its text
// below the headline, including properties. An encrypted entry contributes only its
// headline, and headlines inside encrypted text contribute nothing. Opaque files that
// are encrypted, not text, or too large to parse contribute their name.
func Document(n *node.Node) index.Doc {
	d := index.Doc{ID: n.ID, Title: n.Title(), Tags: n.Derived.Tags}
	switch {
	case n.Secret():
		d.Title, d.Tags = "", nil
	case n.Type == document.TypeHeadline && !n.Derived.Encrypted:
		_, d.Body = n.Heading()
	case n.Derived.Encrypted:
	case !n.Derived.Opaque || len(n.Content) <= org.MaxParsed && isText(n.Content):
		d.Body = readable(n)
	}
	return d
}

// isText reports whether the first 8,000 bytes of an opaque file contain no NUL.
func isText(s string) bool {
	return !slices.Contains([]byte(s[:min(len(s), 8000)]), 0)
}
