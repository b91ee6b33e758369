// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
)

// lazy is an index over a state, made when somebody first asks: from the last
// one that was made on the way to this state and what has changed since, or
// from nothing. What it gives is a function of the state alone.
type lazy[T any] struct {
	kind  *kind[T]
	state *graph.State
	asked atomic.Int32 // how often it would have been of use

	base    T                       // these three never change: next reads
	based   bool                    // them while a reader may be in get
	changed map[string]graph.Change // by id: from base to state

	once sync.Once
	done atomic.Bool // made is there
	made T
}

// kind says how an index is made.
type kind[T any] struct {
	build  func(*graph.State) T
	update func(T, []graph.Change) T
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
		case len(l.changed) == 0:
			l.made = l.base
		default:
			changes := make([]graph.Change, 0, len(l.changed))
			for _, id := range slices.Sorted(maps.Keys(l.changed)) {
				changes = append(changes, l.changed[id])
			}
			l.made = l.kind.update(l.base, changes)
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
		n.base, n.based, n.changed = l.made, true, map[string]graph.Change{}
	case l.based && len(l.changed) <= state.Len()/4:
		n.base, n.based, n.changed = l.base, true, maps.Clone(l.changed)
	default: // bringing it up to date would cost about what making it does
		return n
	}
	for _, c := range delta.Changes {
		if c.Old == nil || c.New == nil || c.Old.Own != c.New.Own || c.Old.Derived != c.New.Derived {
			n.change(c)
		}
	}
	for _, r := range delta.Reread {
		if old, ok := l.state.Get(r.ID); ok {
			n.change(graph.Change{ID: r.ID, Old: old, New: r})
		}
	}
	return n
}

// change adds a change to those since base.
func (l *lazy[T]) change(c graph.Change) {
	if before, ok := l.changed[c.ID]; ok {
		c.Old = before.Old
	}
	l.changed[c.ID] = c
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
	update: func(x *index.Lexical, changes []graph.Change) *index.Lexical {
		var gone []string
		var docs []index.Doc
		for _, c := range changes {
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
	update: func(x index.Attributes, changes []graph.Change) index.Attributes {
		e := x.Edit()
		for _, c := range changes {
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
