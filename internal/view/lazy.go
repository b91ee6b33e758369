// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/champ"
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

	// An earlier index and the changes since, if based. They are never changed, because
	// next reads them while a reader may be in get.
	based bool
	base  T
	gap   gap

	once  sync.Once
	built atomic.Bool // index is set
	index T
}

// gap holds the changes between two states. Copying it is free, so every state has
// one, even if its index is never used.
type gap struct {
	changes champ.Map[graph.Change] // of nodes with other content or derived fields, by id
	paths   champ.Map[bool]         // of documents added, removed or changed; all true
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
		switch {
		case !l.based:
			l.index = l.kind.build(l.state)
		case l.gap.changes.Len()+l.gap.paths.Len() == 0:
			l.index = l.base
		default:
			l.index = l.kind.update(l.base, l.state, l.gap)
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

// isWorthwhile reports whether using the index pays off: it is built, cheap to update,
// or was wanted before. A command that asks once is faster without it.
func (l *lazy[T]) isWorthwhile() bool {
	return l.built.Load() || l.based || l.asked.Add(1) > 1
}

// next returns the index of the next state, which differs by delta. Only the writer
// calls it.
func (l *lazy[T]) next(state *graph.State, delta *graph.Delta) *lazy[T] {
	n := newLazy(l.kind, state)
	n.asked.Store(l.asked.Load())
	switch {
	case l.built.Load():
		n.based, n.base = true, l.index
	case l.based && l.gap.changes.Len() <= state.Len()/4:
		n.based, n.base, n.gap = true, l.base, l.gap
	default: // updating would cost about as much as building
		return n
	}
	n.gap = n.gap.follow(l.state, delta)
	return n
}

// follow returns the gap extended by a delta, which was made from state.
func (g gap) follow(state *graph.State, delta *graph.Delta) gap {
	paths, changes := g.paths.Edit(), g.changes.Edit()
	change := func(c graph.Change) {
		if before, ok := changes.Get(c.ID); ok {
			c.Old = before.Old
		}
		changes.Set(c.ID, c)
	}
	for _, path := range delta.Paths {
		paths.Set(path, true)
	}
	for _, c := range delta.Changes {
		if c.Old == nil || c.New == nil || c.Old.Own != c.New.Own || c.Old.Derived != c.New.Derived {
			change(c)
		}
	}
	for _, r := range delta.Reread {
		paths.Set(r.Path, true)
		if old, ok := state.Get(r.ID); ok {
			change(graph.Change{ID: r.ID, Old: old, New: r})
		}
	}
	return gap{changes: changes.Map(), paths: paths.Map()}
}

// sorted returns the changes in order of ids.
func (g gap) sorted() []graph.Change {
	changes := make([]graph.Change, 0, g.changes.Len())
	for _, c := range g.changes.All() {
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b graph.Change) int { return strings.Compare(a.ID, b.ID) })
	return changes
}

// texts is the index of words.
var texts = &kind[*recall.Words]{
	build: recall.IndexWords,
	update: func(w *recall.Words, s *graph.State, g gap) *recall.Words {
		return w.Update(s, g.sorted(), slices.Collect(maps.Keys(maps.Collect(g.paths.All()))))
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
		for _, c := range g.sorted() {
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

// outlines is the part of windows that all windows of a state share.
var outlines = &kind[*window.Outline]{
	build: func(s *graph.State) *window.Outline {
		o, _ := window.NewOutline(context.Background(), &source{state: s, brief: true}) // the only error is that of the context
		return o
	},
	update: func(o *window.Outline, s *graph.State, g gap) *window.Outline {
		return o.WithChanges(&source{state: s, brief: true}, g.replaced(s))
	},
}

// replaced returns the documents that differ.
func (g gap) replaced(s *graph.State) []window.DocumentChange {
	docs := make([]window.DocumentChange, 0, g.paths.Len())
	for path := range g.paths.All() {
		d := window.DocumentChange{Path: path}
		if now, ok := s.Document(path); ok && s.CopyOf(path) == "" {
			d.ID = now.ID
		}
		docs = append(docs, d)
	}
	return docs
}
