// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
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

// lazy is an index over a state, made when somebody first asks: from the last
// one that was made on the way to this state and what has changed since, or
// from nothing. What it gives is a function of the state alone.
type lazy[T any] struct {
	kind  *kind[T]
	state *graph.State
	asked atomic.Int32 // how often it would have been of use

	based bool // there is an index to go on from; it and the next two never change:
	base  T    // next reads them while a reader may be in get
	gap   gap

	once sync.Once
	done atomic.Bool // made is there
	made T
}

// gap is what lies between the state of an index and a later one. A copy costs
// nothing: each state has one, whether or not somebody asks.
type gap struct {
	changes champ.Map[graph.Change] // of nodes that read otherwise, by id
	paths   champ.Map[bool]         // of documents that came, went or changed; all true
}

// kind says how an index is made.
type kind[T any] struct {
	build  func(*graph.State) T
	update func(T, *graph.State, gap) T
}

func newLazy[T any](k *kind[T], state *graph.State) *lazy[T] {
	return &lazy[T]{kind: k, state: state}
}

// get returns the index, and makes it the first time.
func (l *lazy[T]) get() T {
	l.once.Do(func() {
		switch {
		case !l.based:
			l.made = l.kind.build(l.state)
		case l.gap.changes.Len()+l.gap.paths.Len() == 0:
			l.made = l.base
		default:
			l.made = l.kind.update(l.base, l.state, l.gap)
		}
		l.done.Store(true)
	})
	return l.made
}

// set gives the index instead of making it.
func (l *lazy[T]) set(v T) {
	l.once.Do(func() {
		l.made = v
		l.done.Store(true)
	})
}

// worth reports whether the index pays: it is there, or cheap to bring up to
// date, or was wanted before. A command that asks once is quicker without.
func (l *lazy[T]) worth() bool {
	return l.done.Load() || l.based || l.asked.Add(1) > 1
}

// next prepares the index of the state that follows by a delta. It is called
// by the writer only.
func (l *lazy[T]) next(state *graph.State, delta *graph.Delta) *lazy[T] {
	n := newLazy(l.kind, state)
	n.asked.Store(l.asked.Load())
	switch {
	case l.done.Load():
		n.based, n.base = true, l.made
	case l.based && l.gap.changes.Len() <= state.Len()/4:
		n.based, n.base, n.gap = true, l.base, l.gap
	default: // bringing it up to date would cost about what making it does
		return n
	}
	n.gap = n.gap.follow(l.state, delta)
	return n
}

// follow returns the gap with what a delta of a state changes.
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

// sorted returns the changes of nodes by id.
func (g gap) sorted() []graph.Change {
	changes := make([]graph.Change, 0, g.changes.Len())
	for _, c := range g.changes.All() {
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b graph.Change) int { return strings.Compare(a.ID, b.ID) })
	return changes
}

// lexical is the index of words.
var lexical = &kind[*index.Lexical]{
	build: func(s *graph.State) *index.Lexical {
		docs := make([]index.Doc, 0, s.Len())
		for n := range s.All() {
			docs = append(docs, recall.Document(n))
		}
		return index.Build(docs)
	},
	update: func(x *index.Lexical, _ *graph.State, g gap) *index.Lexical {
		var gone []string
		var docs []index.Doc
		for _, c := range g.sorted() {
			if c.New == nil {
				gone = append(gone, c.ID)
			} else {
				docs = append(docs, recall.Document(c.New))
			}
		}
		return x.Update(gone, docs)
	},
}

// attributes is the index of what the parser read: type, keyword, tags,
// properties, link targets.
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

// outlines is what windows need of a whole state.
var outlines = &kind[*window.Outline]{
	build: func(s *graph.State) *window.Outline {
		o, _ := window.NewOutline(context.Background(), &source{state: s, brief: true}) // fails with its context alone
		return o
	},
	update: func(o *window.Outline, s *graph.State, g gap) *window.Outline {
		return o.WithChanges(&source{state: s, brief: true}, g.replaced(s))
	},
}

// replaced tells the documents that differ, and which of their nodes read as they did.
func (g gap) replaced(s *graph.State) []window.DocumentChange {
	same := func(id string) bool { _, changed := g.changes.Get(id); return !changed }
	docs := make([]window.DocumentChange, 0, g.paths.Len())
	for path := range g.paths.All() {
		d := window.DocumentChange{Path: path, Unchanged: same}
		if now, ok := s.Document(path); ok {
			d.ID = now.ID
		}
		docs = append(docs, d)
	}
	return docs
}
