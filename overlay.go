// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/lru"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// minOverlays is the number of combinations of scopes that are kept up to date at least.
const minOverlays = 4

// overlays are the views that lay scopes over a memex.
type overlays struct {
	last atomic.Pointer[overlay] // the one asked for last

	mu    sync.Mutex
	known lru.Map[string, *overlay] // by the names of the scopes
}

// overlay is a view over several scopes, and what it was made from.
type overlay struct {
	names  []string  // as they were asked for
	layers []*Memory // the memex first; nil for a session that nothing was ingested into
	below  []layer   // of layers
	opened uint64    // of scopes, when it was made
	view   *View
}

// layer is what one scope holds at one moment.
type layer struct {
	view *View
	laid map[string]merkle.Digest // of a session: the file that each document of a path lies over
}

// Over returns the memex overlaid by each of the scopes in turn. It is a view like
// any other: a document is that of the last scope that has one of its path, and an
// id that several claim goes to the last of them. What a session laid over a file
// counts until the file is saved. Without scopes, it is what View returns.
//
// It costs a few atomic loads while nothing changed, and takes no lock then; after
// a change it costs what the changed documents do. Errors: Invalid (a name),
// NotFound (a project that is neither configured nor was ever ingested into), and
// those of opening a scope.
func (m *Memory) Over(ctx context.Context, scopes ...string) (*View, error) {
	top := m.memex()
	if len(scopes) == 0 {
		return top.View(), nil
	}
	if o := top.overlays.last.Load(); o != nil && slices.Equal(o.names, scopes) && o.current(top) {
		return o.view, nil
	}
	top.overlays.mu.Lock()
	defer top.overlays.mu.Unlock()
	o, err := top.lay(ctx, scopes)
	if err != nil {
		return nil, err
	}
	top.overlays.known.Size = minOverlays
	top.overlays.known.Set(strings.Join(scopes, "\n"), o)
	top.overlays.last.Store(o)
	return o.view, nil
}

// current reports whether every layer is still what it was.
func (o *overlay) current(m *Memory) bool {
	for i, s := range o.layers {
		if s != nil && s.View() != o.below[i].view {
			return false
		}
	}
	return o.opened == m.scopes.opened.Load()
}

// lay makes the overlay of scopes from the one that was made before, else from the
// memex.
func (m *Memory) lay(ctx context.Context, scopes []string) (*overlay, error) {
	o := &overlay{names: slices.Clone(scopes), opened: m.scopes.opened.Load()}
	for _, name := range slices.Concat([]string{scopeMemex}, scopes) {
		s, err := m.layer(ctx, name)
		if err != nil {
			return nil, err
		}
		o.layers = append(o.layers, s)
		o.below = append(o.below, s.layerNow())
	}
	was, _ := m.overlays.known.Peek(strings.Join(scopes, "\n"))
	if was == nil || !slices.Equal(was.layers, o.layers) {
		was = nil
	}
	o.compose(was)
	return o, nil
}

// layer opens a scope to be read; nil for a session without anything in it.
func (m *Memory) layer(ctx context.Context, name string) (*Memory, error) {
	there, err := m.exists(name)
	switch {
	case err != nil:
		return nil, err
	case there || name == scopeMemex:
		return m.Scope(ctx, name)
	}
	if err := checkScope(name); err != nil {
		return nil, fail("scope", name, Invalid, err)
	}
	if strings.HasPrefix(name, kindSession+"/") {
		return nil, nil
	}
	return nil, fail("scope", name, NotFound, errors.New(
		"no such project: give it paths under [projects] in the configuration, or ingest a tree into it"))
}

// layerNow returns what a scope holds; nothing for nil.
func (m *Memory) layerNow() layer {
	if m == nil {
		return layer{view: &View{state: &graph.State{}}}
	}
	at := m.chain.Head()
	l := layer{view: at.Derived.(*View)}
	if m.parent != nil && !m.hasFiles() {
		l.laid = m.ledgers.drift.At(at)
	}
	return l
}

// compose makes the view, from that of an overlay of the same layers before, or
// from the memex's where was is nil.
func (o *overlay) compose(was *overlay) {
	base, changed := o.below[0].view, map[string]bool{}
	if was == nil {
		for _, l := range o.below[1:] {
			for _, path := range l.view.state.Paths() {
				changed[path] = true
			}
		}
	} else {
		base = was.view
		for i, l := range o.below {
			delta := graph.Diff(was.below[i].view.state, l.view.state)
			for _, path := range delta.Paths {
				changed[path] = true
			}
			for _, n := range delta.Reread {
				changed[n.Path] = true
			}
			for _, path := range o.below[i].relaid(&was.below[i]) {
				changed[path] = true
			}
		}
	}
	draft := base.state.Edit(0)
	for _, path := range sortedKeys(changed) {
		at := o.highest(path)
		draft.Adopt(path, o.below[at].view.state.Nodes(path), at)
	}
	state, delta := draft.Seal()
	o.view = base.follow(state, &delta, o.below[0].view.commit)
	o.view.layers = append([]string{scopeMemex}, o.names...)
}

// relaid lists the paths whose document lies over another file than before.
func (l *layer) relaid(was *layer) []string {
	var out []string
	for path, file := range l.laid {
		if was.laid[path] != file {
			out = append(out, path)
		}
	}
	return out
}

// highest returns the layer whose document of a path is seen, 0 where none has one.
func (o *overlay) highest(path string) int {
	for i := len(o.below) - 1; i > 0; i-- {
		if _, has := o.below[i].view.state.Document(path); has && o.counts(i, path) {
			return i
		}
	}
	return 0
}

// counts reports whether a document of a layer may be seen. What was laid over a
// file ends when the file is saved, and a file outside a project, which it has as
// a setup file, is that of the layers below, if they have it.
func (o *overlay) counts(i int, path string) bool {
	m := o.layers[i]
	switch {
	case node.IsMemory(path):
		return true
	case !m.hasFiles():
		seen, laid := o.below[i].laid[path]
		return laid && seen == o.fileBelow(i, path)
	case m.root.InRegion(path):
		return true
	}
	for _, l := range o.below[:i] {
		if _, has := l.view.state.Document(path); has {
			return false
		}
	}
	return true
}

// fileBelow returns the digest of the file that the layers below have at a path.
func (o *overlay) fileBelow(i int, path string) merkle.Digest {
	for _, l := range slices.Backward(o.below[:i]) {
		if text, has := l.view.state.Text(path); has {
			return merkle.Sum([]byte(text))
		}
	}
	return absent
}
