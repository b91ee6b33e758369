// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// View is a state and its indexes. It is immutable and safe for concurrent reads.
type View struct {
	State      *graph.State
	Lexical    func() *index.Lexical   // built on first use
	Attributes func() index.Attributes // built on first use; nil: queries visit every node
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
	case n.Type == node.TypeHeadline && !n.Derived.Encrypted:
		_, d.Body = n.Heading()
	case n.Derived.Encrypted:
	case !n.Derived.Opaque || len(n.Content) <= node.MaxParsed && isText(n.Content):
		d.Body = readable(n)
	}
	return d
}

// readable returns the text of a node without encrypted parts.
func readable(n *node.Node) string {
	switch {
	case n.Derived.Opaque && node.IsEncrypted(n.Path):
		return ""
	case n.Derived.Encrypted:
		line, _ := n.Heading()
		return line
	}
	return n.Content
}

// isText reports whether the first 8,000 bytes of an opaque file contain no NUL.
func isText(s string) bool {
	return !slices.Contains([]byte(s[:min(len(s), 8000)]), 0)
}

// Query returns at most limit (0: all) nodes that match a query, in document order.
// Relative dates count from now. If the query names an element type, matching elements
// follow the node that contains them, as nodes outside the state ([View.Span]).
// Complexity is O(nodes) times the cost of the predicates, or O(nodes with the
// attribute) if the query requires an indexed attribute.
func (v View) Query(e query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	m, err := query.Compile(e, now)
	if err != nil {
		return nil, err
	}
	var out []*node.Node
	for n := range v.matches(e, m) {
		if out = append(out, n); len(out) == limit {
			break
		}
	}
	return out, nil
}

// matches yields the matches of m, which was compiled from e.
func (v View) matches(e query.Expr, m *query.Matcher) iter.Seq[*node.Node] {
	return func(yield func(*node.Node) bool) {
		r := newReader(v.State)
		wanted := elementTypes(e)
		for n := range v.candidates(e) {
			if m.Match(r.nodeCandidate(n)) && !yield(n) {
				return
			}
			for s := range spans(n, wanted) {
				if m.Match(r.spanCandidate(s)) && !yield(s.withDigests()) {
					return
				}
			}
		}
	}
}

// Hit is a node found by Search. Score is BM25, higher is better, comparable only
// within one answer.
type Hit struct {
	Node  *node.Node
	Score float64
}

// Search ranks nodes by words, best first, ties by id. keep, which may be nil, filters
// the results; its relative dates count from now. limit 0 means 10.
func (v View) Search(text string, limit int, keep query.Expr, now time.Time) ([]Hit, error) {
	if limit == 0 {
		limit = 10
	}
	q := index.Query{Text: text, Limit: limit}
	if keep != nil {
		m, err := query.Compile(keep, now)
		if err != nil {
			return nil, err
		}
		r := newReader(v.State)
		q.Keep = func(id string) bool {
			n, ok := v.State.Get(id)
			return ok && m.Match(r.nodeCandidate(n))
		}
	}
	hits := v.Lexical().Search(q)
	out := make([]Hit, 0, len(hits))
	for _, h := range hits {
		if n, ok := v.State.Get(h.ID); ok {
			out = append(out, Hit{n, h.Score})
		}
	}
	return out, nil
}
