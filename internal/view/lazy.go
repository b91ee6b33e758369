// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// lazy is an index over a state that is built on first use: from the index of an
// earlier state and the changes since, or from scratch. The result depends on the
// state alone.
type lazy[T any] struct {
	kind  *kind[T]
	state *graph.State
	asked atomic.Int32 // number of calls of isWorthwhile

	// An earlier index, and its state; nil for none. They never change, because next reads them
	// while a reader may be in get, so they keep the earlier state in memory. Once more than a
	// quarter of the nodes have changed, next drops both.
	base   T
	since  *graph.State
	behind int // number of changes of nodes since then

	once  sync.Once
	built atomic.Bool // index is set
	index T
}

// gap holds the changes between two states.
type gap struct {
	changes []graph.Change // of nodes with other content or derived fields, by id
	paths   []string       // of documents added, removed or changed, sorted
}

// kind builds one kind of index.
type kind[T any] struct {
	build  func(*graph.State) T
	update func(T, *graph.State, gap) T
}

func newLazy[T any](k *kind[T], state *graph.State) *lazy[T] {
	return &lazy[T]{kind: k, state: state}
}

// get returns the index. The first call builds it.
func (l *lazy[T]) get() T {
	l.once.Do(func() {
		if l.since == nil {
			l.index = l.kind.build(l.state)
		} else if g := gapOf(l.since, l.state); len(g.changes)+len(g.paths) > 0 {
			l.index = l.kind.update(l.base, l.state, g)
		} else {
			l.index = l.base
		}
		l.built.Store(true)
	})
	return l.index
}

// set sets the index if it is not built yet.
func (l *lazy[T]) set(v T) {
	l.once.Do(func() {
		l.index = v
		l.built.Store(true)
	})
}

// isWorthwhile reports whether using the index pays off: it is built, cheap to update, or was
// asked for before. A single query is faster without it.
func (l *lazy[T]) isWorthwhile() bool {
	return l.built.Load() || l.since != nil || l.asked.Add(1) > 1
}

// next returns the index of the next state, which differs by delta. Only the writer
// calls it.
func (l *lazy[T]) next(state *graph.State, delta *graph.Delta) *lazy[T] {
	n := newLazy(l.kind, state)
	n.asked.Store(l.asked.Load())
	switch {
	case l.built.Load():
		n.base, n.since = l.index, l.state
	case l.since != nil && l.behind <= state.Len()/4:
		n.base, n.since, n.behind = l.base, l.since, l.behind
	default: // updating would cost about as much as building
		return n
	}
	n.behind += len(delta.Reread)
	for _, c := range delta.Changes {
		if differs(c) {
			n.behind++
		}
	}
	return n
}

// differs reports whether the content or the derived fields of a node changed, not just its children.
func differs(c graph.Change) bool {
	return c.Old == nil || c.New == nil || c.Old.Own != c.New.Own || c.Old.Derived != c.New.Derived
}

// gapOf returns the changes from one state to another.
func gapOf(from, to *graph.State) gap {
	delta := graph.Diff(from, to)
	g := gap{paths: delta.Paths}
	for _, c := range delta.Changes {
		if differs(c) {
			g.changes = append(g.changes, c)
		}
	}
	for _, n := range delta.Reread {
		g.paths = append(g.paths, n.Path)
		if old, ok := from.Get(n.ID); ok {
			g.changes = append(g.changes, graph.Change{ID: n.ID, Old: old, New: n})
		}
	}
	slices.Sort(g.paths)
	slices.SortFunc(g.changes, func(a, b graph.Change) int { return strings.Compare(a.ID, b.ID) })
	g.paths = slices.Compact(g.paths)
	g.changes = slices.CompactFunc(g.changes, func(a, b graph.Change) bool { return a.ID == b.ID })
	return g
}

// texts is the index of words.
var texts = &kind[*recall.Words]{
	build: recall.IndexWords,
	update: func(w *recall.Words, s *graph.State, g gap) *recall.Words {
		return w.Update(s, g.changes, g.paths)
	},
}

// attributes is the index of derived fields: type, keyword, tags, properties, link
// targets.
var attributes = &kind[index.Attributes]{
	build: func(s *graph.State) index.Attributes {
		e := index.Attributes{}.Edit()
		for n := range s.All() {
			describe(n, e.Set)
		}
		return e.Attributes()
	},
	update: func(x index.Attributes, _ *graph.State, g gap) index.Attributes {
		e := x.Edit()
		for _, c := range g.changes {
			describe(c.Old, e.Remove)
			describe(c.New, e.Set)
		}
		return e.Attributes()
	},
}

func describe(n *node.Node, put func(key, value, id string)) {
	if n != nil {
		for key, value := range recall.Attributes(n) {
			put(key, value, n.ID)
		}
	}
}

// outlines is the outline that all windows of a state share.
var outlines = &kind[*window.Outline]{
	build: func(s *graph.State) *window.Outline {
		o, _ := window.NewOutline(context.Background(), &source{state: s, brief: true}) // the only error is that of the context
		return o
	},
	update: func(o *window.Outline, s *graph.State, g gap) *window.Outline {
		return o.WithChanges(&source{state: s, brief: true}, g.replaced(s))
	},
}

// replaced returns the changes of documents.
func (g gap) replaced(s *graph.State) []window.DocumentChange {
	docs := make([]window.DocumentChange, 0, len(g.paths))
	for _, path := range g.paths {
		d := window.DocumentChange{Path: path}
		if now, ok := s.Document(path); ok && s.CopyOf(path) == "" {
			d.ID = now.ID
		}
		docs = append(docs, d)
	}
	return docs
}
