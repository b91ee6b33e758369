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

// View is one state and the index made from it. It is immutable and safe for
// any number of readers.
type View struct {
	State      *graph.State
	Lexical    func() *index.Lexical   // made on first use
	Attributes func() index.Attributes // likewise; nil: nodes are looked through one by one
}

// Document returns what a node contributes to the lexical index: its title,
// own tags and all of its text below the headline, properties included. Of what
// is encrypted only the headline counts, and not that inside it; opaque files that are encrypted, not
// text, or larger than what is parsed contribute their name.
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

// readable returns the text of a node without what is encrypted.
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

// isText reports whether an opaque file reads as text: no NUL near its start.
func isText(s string) bool {
	return !slices.Contains([]byte(s[:min(len(s), 8000)]), 0)
}

// Query returns the nodes a query matches, in document order, at most limit of
// them (0: all). Relative dates count from now. Where the query names the type
// of an element, elements of that type are looked at too, and those that match
// stand behind the node they are in, as nodes that no state holds ([Span]).
// Complexity is O(nodes) times the cost of the predicates, or, where the query
// demands an attribute and there is an index, O(nodes that have it).
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

// matches yields what m, compiled of e, matches.
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

// Hit is a node found by its words. Score is BM25, higher is better; it is
// comparable only within one answer.
type Hit struct {
	Node  *node.Node
	Score float64
}

// Search ranks nodes by words, best first, ties by id. keep, which may be nil,
// is an additional condition; its relative dates count from now. limit 0 means
// 10.
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
