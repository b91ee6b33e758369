// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/buffer"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// minOverlays is the minimum number of scope combinations kept.
const minOverlays = 32

// overlays caches the views that lay scopes over a memex.
type overlays struct {
	last atomic.Pointer[overlay] // the most recently used

	mu    sync.Mutex
	known bound.Map[string, *overlay] // keyed by scope names and agent
}

// overlay is a view over several scopes, with its sources.
type overlay struct {
	names  []string       // as requested
	agent  string         // who sees its own blocks, "" for nobody
	owner  bool           // who sees the buffers of the sessions
	layers []*scope.Scope // the memex first; nil for an empty session
	below  []layer        // parallel to layers
	opened uint64         // memex.opened at creation
	view   *view.View

	buffers []buffer.Buffer // of the sessions, laid over all layers
	changes uint64          // buffer.Buffers.Changes before they were read
}

// layer is the content of a scope at one moment.
type layer struct {
	view *view.View
	laid map[string]merkle.Digest // of a session: covered files by path
}

// Over returns a view of the memex overlaid by each of the scopes in turn. If several scopes
// have a document with the same path, or claim the same id, the last one wins. A session's
// document over a file is visible until the file is saved. The owner alone sees the text of an
// editor's buffer, as long as the editor holds it (Options.Buffers); an agent, also one that the
// owner acts for, sees the file. Of working memory, an agent that ctx names sees its own blocks
// alone; nobody else sees any. Without scopes, it returns View.
//
// If nothing changed it costs a few atomic loads and takes no lock; else its cost is
// proportional to the changed documents. Errors: Invalid (a name), NotFound (a project that
// is neither configured nor has trees), and those of opening a scope.
func (m *Memory) Over(ctx context.Context, scopes ...string) (View, error) {
	x := m.memex
	if len(scopes) == 0 {
		return x.top.View(), nil
	}
	agent, owner := author.AgentOf(ctx), x.top.scope.Actor(ctx).Author == scope.Owner
	if o := x.overlays.last.Load(); o != nil && o.agent == agent && o.owner == owner && slices.Equal(o.names, scopes) && o.current(x) {
		return o.view, nil
	}
	x.overlays.mu.Lock()
	defer x.overlays.mu.Unlock()
	o := &overlay{names: slices.Clone(scopes), agent: agent, owner: owner}
	if err := x.lay(ctx, o); err != nil {
		return nil, err
	}
	x.overlays.known.Size = minOverlays
	x.overlays.known.Set(o.key(), o)
	x.overlays.last.Store(o)
	return o.view, nil
}

// key identifies the overlays that differ in time alone.
func (o *overlay) key() string {
	return fmt.Sprintf("%s\n%t\n%s", o.agent, o.owner, strings.Join(o.names, "\n"))
}

// current reports whether no layer has changed.
func (o *overlay) current(x *memex) bool {
	for i, s := range o.layers {
		if s != nil && s.View() != o.below[i].view {
			return false
		}
	}
	return o.opened == x.opened.Load() && o.changes == x.top.scope.Options.Buffers.Changes()
}

// lay builds an overlay, of which names and who looks are set, from the previous one, or from the
// memex.
func (x *memex) lay(ctx context.Context, o *overlay) error {
	held := x.top.scope.Options.Buffers
	o.opened, o.changes = x.opened.Load(), held.Changes()
	for _, name := range slices.Concat([]string{scope.Memex}, o.names) {
		s, err := x.layer(ctx, name)
		if err != nil {
			return err
		}
		o.layers = append(o.layers, s)
		o.below = append(o.below, layerOf(s))
		if session, is := strings.CutPrefix(name, scope.Session+"/"); is && o.owner {
			o.buffers = append(o.buffers, held.Of(session)...)
		}
	}
	was, _ := x.overlays.known.Peek(o.key())
	if was == nil || !slices.Equal(was.layers, o.layers) {
		was = nil
	}
	o.compose(was)
	return nil
}

// layer opens a scope for reading; nil for an empty session.
func (x *memex) layer(ctx context.Context, name string) (*scope.Scope, error) {
	names, err := x.names()
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(names, name) || name == scope.Memex:
		m, err := x.scope(ctx, name)
		if err != nil {
			return nil, err
		}
		return m.scope, nil
	}
	if err := scope.CheckName(name); err != nil {
		return nil, fail("scope", name, Invalid, err)
	}
	if strings.HasPrefix(name, scope.Session+"/") {
		return nil, nil
	}
	return nil, fail("scope", name, NotFound, errors.New(
		"no such project: give it paths under [projects] in the configuration, or ingest a tree into it"))
}

// layerOf returns the present content of a scope; nil has none.
func layerOf(s *scope.Scope) layer {
	if s == nil {
		return layer{view: view.New(&graph.State{}, Commit{}, "")}
	}
	at := s.Chain.Head()
	l := layer{view: at.Derived.(*view.View)}
	if s.Parent != nil && !s.HasFiles() {
		l.laid = s.DriftAt(at)
	}
	return l
}

// compose builds the view from was, an earlier overlay of the same layers, or from the
// memex's view if was is nil.
func (o *overlay) compose(was *overlay) {
	base, changed := o.below[0].view, map[string]bool{}
	if was == nil {
		for _, l := range o.below[1:] {
			for _, path := range l.view.Paths() {
				changed[path] = true
			}
		}
	} else {
		base = was.view
		for _, path := range differing(was.buffers, o.buffers) {
			changed[path] = true
		}
		for i, l := range o.below {
			delta := graph.Diff(was.below[i].view.State, l.view.State)
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
	draft := base.Edit(0)
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		at := o.highest(path)
		draft.Adopt(path, o.below[at].view.Nodes(path), at)
	}
	for _, b := range o.buffers {
		if was == nil || changed[b.Path] {
			draft.Put(b.Path, document.File(b.Text, false))
		}
	}
	state, delta := draft.Seal()
	views := make([]*view.View, len(o.below))
	for i := range o.below {
		views[i] = o.below[i].view
	}
	o.view = view.Overlaid(base, state, &delta, o.below[0].view.Head(), append([]string{scope.Memex}, o.names...), views)
}

// differing lists the paths of buffers that are in one list alone.
func differing(was, is []buffer.Buffer) (paths []string) {
	for _, lists := range [][2][]buffer.Buffer{{was, is}, {is, was}} {
		for _, b := range lists[0] {
			if !slices.Contains(lists[1], b) {
				paths = append(paths, b.Path)
			}
		}
	}
	return paths
}

// relaid lists the paths whose document covers a different file than before.
func (l *layer) relaid(was *layer) []string {
	var out []string
	for path, file := range l.laid {
		if was.laid[path] != file {
			out = append(out, path)
		}
	}
	return out
}

// highest returns the top layer with a visible document of a path, or 0.
func (o *overlay) highest(path string) int {
	for i := len(o.below) - 1; i > 0; i-- {
		if _, has := o.below[i].view.State.Document(path); has && o.counts(i, path) {
			return i
		}
	}
	return 0
}

// counts reports whether a document of a layer may be visible. One laid over a file is
// hidden once the file is saved. A setup file outside a project's paths is visible only if
// no layer below has it.
func (o *overlay) counts(i int, path string) bool {
	s := o.layers[i]
	switch owner := working.AgentOf(path); {
	case owner != "":
		return owner == o.agent && !working.IsRecord(path)
	case document.IsMemory(path):
		return true
	case !s.HasFiles():
		seen, laid := o.below[i].laid[path]
		return laid && seen == o.fileBelow(i, path)
	case s.Root.InRegion(path):
		return true
	}
	return !slices.ContainsFunc(o.below[:i], func(l layer) bool {
		_, has := l.view.State.Document(path)
		return has
	})
}

// fileBelow returns the digest of the file that the layers below have at a path.
func (o *overlay) fileBelow(i int, path string) merkle.Digest {
	for _, l := range slices.Backward(o.below[:i]) {
		if text, has := l.view.Text(path); has {
			return merkle.Sum([]byte(text))
		}
	}
	return scope.NoFile
}
