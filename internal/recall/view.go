// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"

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
// own tags and all of its text below the headline, properties included. Opaque
// files that are encrypted or not text contribute their name.
func Document(n *node.Node) index.Doc {
	d := index.Doc{ID: n.ID, Title: n.Title(), Tags: n.Derived.Tags}
	switch {
	case n.Type == node.TypeHeadline:
		_, d.Body, _ = strings.Cut(n.Content, "\n")
	case !n.Derived.Opaque || isText(n.Content) && !node.IsEncrypted(n.Path):
		d.Body = n.Content
	}
	return d
}

// isText reports whether an opaque file reads as text: no NUL near its start.
func isText(s string) bool {
	return !slices.Contains([]byte(s[:min(len(s), 8000)]), 0)
}

// Query returns the nodes a query matches, in document order, at most limit of
// them (0: all). Complexity is O(nodes) times the cost of the predicates, or,
// where the query demands an attribute and there is an index, O(nodes that
// have it).
func (v View) Query(e query.Expr, limit int) ([]*node.Node, error) {
	m, err := query.Compile(e)
	if err != nil {
		return nil, err
	}
	var out []*node.Node
	c := candidate{state: v.State}
	for n := range v.candidates(e) {
		c.enter(n)
		if m.Match(&c) {
			out = append(out, n)
			if len(out) == limit {
				break
			}
		}
	}
	return out, nil
}

// Hit is a node found by its words. Score is BM25, higher is better; it is
// comparable only within one answer.
type Hit struct {
	Node  *node.Node
	Score float64
}

// Search ranks nodes by words, best first, ties by id. keep, which may be nil,
// is an additional condition. limit 0 means 10.
func (v View) Search(text string, limit int, keep query.Expr) ([]Hit, error) {
	if limit == 0 {
		limit = 10
	}
	q := index.Query{Text: text, Limit: limit}
	if keep != nil {
		m, err := query.Compile(keep)
		if err != nil {
			return nil, err
		}
		q.Keep = func(id string) bool {
			n, ok := v.State.Get(id)
			if !ok {
				return false
			}
			c := candidate{state: v.State}
			c.enter(n)
			return m.Match(&c)
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

// candidate shows a node to a query, with what it inherits. It is reused from
// node to node; tags of the ancestors are kept while the walk stays below them.
type candidate struct {
	state *graph.State
	n     *node.Node
	tags  []string
	ready bool
}

func (c *candidate) enter(n *node.Node) { c.n, c.tags, c.ready = n, nil, false }

func (c *candidate) ID() string          { return c.n.ID }
func (c *candidate) Type() string        { return c.n.Type }
func (c *candidate) Todo() string        { return c.n.Derived.Todo }
func (c *candidate) Done() bool          { return c.n.Derived.Done }
func (c *candidate) LocalTags() []string { return c.n.Derived.Tags }
func (c *candidate) Heading() string     { return c.n.Title() }
func (c *candidate) Text() string        { return c.n.Content }
func (c *candidate) Level() int          { return c.n.Derived.Level }
func (c *candidate) Priority() string    { return c.n.Derived.Priority }
func (c *candidate) Path() string        { return c.n.Path }

func (c *candidate) Property(key string) []string { return c.n.Derived.Property(key) }

func (c *candidate) Tags() []string {
	if !c.ready {
		c.tags, c.ready = c.state.EffectiveTags(c.n), true
	}
	return c.tags
}
