// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Words is the text of a state: the index of its words, and the order in which its
// nodes stand. It is immutable and safe for concurrent reads.
type Words struct {
	Lexical *index.Lexical

	state *graph.State
	once  sync.Once
	order atomic.Pointer[index.Order] // nil until it is first needed
	nears atomic.Pointer[near]        // of the set used last

	before atomic.Pointer[near] // of earlier words, until nears is set
}

// IndexWords returns the words of a state. O(its text).
func IndexWords(s *graph.State) *Words {
	docs := make([]index.Doc, 0, s.Len())
	for n := range s.All() {
		docs = append(docs, Document(n))
	}
	return LoadWords(s, index.Build(docs))
}

// LoadWords returns the words of a state that has an index already.
func LoadWords(s *graph.State, lexical *index.Lexical) *Words {
	return &Words{Lexical: lexical, state: s}
}

// Order returns where the nodes stand. The first call makes it, in O(nodes).
func (w *Words) Order() *index.Order {
	w.once.Do(func() {
		if w.order.Load() == nil {
			files := make([]*index.File, 0, w.state.DocumentCount())
			for _, path := range w.state.Paths() {
				files = append(files, fileOf(w.state, path))
			}
			w.order.Store(index.NewOrder(w.Lexical, files))
		}
	})
	return w.order.Load()
}

// near returns the vectors of the nodes in a set. The first call for a set finds them in
// O(nodes), and reuses earlier results.
func (w *Words) near(set *vector.Set) *near {
	x := w.nears.Load()
	if x != nil && x.set == set {
		return x
	}
	x = newNear(set, w, cmp.Or(x, w.before.Load()))
	w.nears.Store(x)
	w.before.Store(nil)
	return x
}

// Update returns the words of another state: changes are the nodes with another text,
// and paths the documents that changed, were added or removed.
func (w *Words) Update(s *graph.State, changes []graph.Change, paths []string) *Words {
	var removed []string
	var docs []index.Doc
	for _, c := range changes {
		if c.New == nil {
			removed = append(removed, c.ID)
		} else {
			docs = append(docs, Document(c.New))
		}
	}
	next := LoadWords(s, w.Lexical.Update(removed, docs))
	next.before.Store(cmp.Or(w.nears.Load(), w.before.Load()))
	order := w.order.Load()
	if order == nil {
		return next
	}
	var files []*index.File
	gone := map[string]bool{}
	for _, path := range paths {
		if _, ok := s.Document(path); ok {
			files = append(files, fileOf(s, path))
		} else {
			gone[path] = true
		}
	}
	next.order.Store(order.Update(next.Lexical, files, gone))
	return next
}

// fileOf lists the nodes of a document in order.
func fileOf(s *graph.State, path string) *index.File {
	nodes := s.Nodes(path)
	f := &index.File{Path: path, IDs: make([]string, len(nodes)), Last: make([]int32, len(nodes))}
	f.Bare = len(nodes) > 1 && strings.TrimSpace(nodes[0].Body()) == ""
	if strings.HasPrefix(path, "agents/") {
		f.Times = make([]uint64, len(nodes))
	}
	var open []int // the node and its ancestors
	for i, n := range nodes {
		f.IDs[i], f.Last[i] = n.ID, int32(i)
		if f.Times != nil {
			f.Times[i] = madeAt(n)
		}
		for len(open) > 0 && f.IDs[open[len(open)-1]] != n.Parent {
			open = open[:len(open)-1]
		}
		for _, at := range open {
			f.Last[at] = int32(i)
		}
		open = append(open, i)
	}
	return f
}

// madeAt returns when a note was made, as a number that grows with it; 0 for unknown.
func madeAt(n *node.Node) (t uint64) {
	for _, value := range n.Derived.Property("CREATED") {
		for _, r := range value {
			if '0' <= r && r <= '9' && t < 1e11 { // to the minute
				t = 10*t + uint64(r-'0')
			}
		}
	}
	return t
}

// Document returns a node's entry in the index of words: title, own tags and its text
// below the headline, including properties. An encrypted entry contributes only its
// headline, and headlines inside encrypted text contribute nothing. Opaque files that
// are encrypted, not text, or too large to parse contribute their name. Ignore files, which are
// settings, contribute nothing.
func Document(n *node.Node) index.Doc {
	d := index.Doc{ID: n.ID, Title: n.Title(), Tags: n.Derived.Tags}
	switch {
	case n.Secret(), document.IsIgnore(n.Path):
		d.Title, d.Tags = "", nil
	case n.Type == document.TypeHeadline && !n.Derived.Encrypted:
		_, d.Body = n.Heading()
	case n.Derived.Encrypted:
	case !n.Derived.Opaque || len(n.Content) <= org.MaxParsed && strings.IndexByte(n.Content[:min(len(n.Content), 8000)], 0) < 0:
		d.Body = Readable(n)
	}
	if d.Title != "" || d.Body != "" {
		d.Marks = marksOf(n)
	}
	return d
}
