// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"iter"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// View is a state and its indexes. It is immutable and safe for concurrent reads.
type View struct {
	State *graph.State
	// IDs returns the ids with a handle, live or not, each once; nil for no handles.
	IDs        func(handle string) []string
	Words      func() *Words           // of the state
	Rankers    []Ranker                // their arms add up
	Attributes func() index.Attributes // built on first use; nil: queries visit every node
}

// Readable returns the text of a node without encrypted parts: of an entry with the tag crypt,
// its headline, and nothing below.
func Readable(n *node.Node) string {
	switch {
	case n.Derived.Opaque && document.IsEncrypted(n.Path), n.Secret():
		return ""
	case n.Derived.Encrypted:
		line, _ := n.Heading()
		return line
	}
	return n.Content
}

// Query is fovea.View.Query: elements follow the node that contains them ([View.Span]), and
// conflict copies are left out. O(nodes) times the cost of the predicates, or O(nodes with the
// attribute) if the query requires an indexed attribute.
func (v View) Query(e query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	e = v.withIDs(e)
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
			if v.State.CopyOf(n.Path) != "" {
				continue
			}
			if m.Match(r.nodeCandidate(n)) && !yield(n) {
				return
			}
			for s := range spans(n, wanted) {
				if m.Match(r.current.reset(r, s.node, s.host, s.offset)) && !yield(s.withDigests()) {
					return
				}
			}
		}
	}
}

// Search ranks nodes by the arms of the view, conflict copies apart, best first, ties by id. keep, which may
// be nil, filters the results; its relative dates count from now. limit 0 means 10.
func (v View) Search(text string, limit int, keep query.Expr, now time.Time) ([]Hit, error) {
	limit = cmp.Or(limit, 10)
	req := Request{Text: text, Limit: limit}
	if keep != nil {
		keep = v.withIDs(keep)
		m, err := query.Compile(keep, now)
		if err != nil {
			return nil, err
		}
		r := newReader(v.State)
		req.Keep = func(id string) bool {
			n, ok := v.State.Get(id)
			return ok && m.Match(r.nodeCandidate(n))
		}
		req.Kept = func(yield func(*node.Node) bool) {
			for n := range v.candidates(keep) {
				if m.Match(r.nodeCandidate(n)) && !yield(n) {
					return
				}
			}
		}
	}
	ranked := v.Rank(req)
	out := make([]Hit, 0, len(ranked))
	for _, h := range ranked {
		if n, ok := v.State.Get(h.ID); ok {
			out = append(out, Hit{Node: n, Ranked: h})
		}
	}
	return out, nil
}
