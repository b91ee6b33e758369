// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// Overlay is a view over several scopes, with its sources.
type Overlay struct {
	Names  []string // as requested
	Agent  string   // the agent whose blocks are visible, "" for none
	Owner  bool     // the buffers of the sessions are visible
	Opened uint64   // changes whenever a scope is opened or closed
	View   *view.View

	layers  []*Scope        // the memex first; nil for an empty session
	below   []layer         // parallel to layers
	buffers []corpus.Buffer // of the sessions, above all layers
	changes uint64          // buffer.Buffers.Changes before they were read
}

// layer is the content of a scope at one moment.
type layer struct {
	view *view.View
	laid map[string]merkle.Digest // of a session: covered files by path
}

// Key is equal for overlays that differ only in time.
func (o *Overlay) Key() string {
	return fmt.Sprintf("%s\n%t\n%s", o.Agent, o.Owner, strings.Join(o.Names, "\n"))
}

// Current reports whether no layer has changed.
func (o *Overlay) Current(opened uint64) bool {
	for i, s := range o.layers {
		if s != nil && s.View() != o.below[i].view {
			return false
		}
	}
	return o.Opened == opened && o.changes == o.layers[0].Options.Buffers.Changes()
}

// Lay builds the view of layers, the memex first. It starts from was, an earlier overlay of this Key, if that
// has the same layers. A nil layer is an empty session.
func (o *Overlay) Lay(layers []*Scope, was *Overlay) {
	held := layers[0].Options.Buffers
	o.layers, o.changes = layers, held.Changes()
	for i, s := range layers {
		o.below = append(o.below, layerOf(s))
		if session, is := strings.CutPrefix(append([]string{Memex}, o.Names...)[i], Session+"/"); is && o.Owner {
			o.buffers = append(o.buffers, held.Of(session)...)
		}
	}
	if was != nil && !slices.Equal(was.layers, layers) {
		was = nil
	}
	o.compose(was)
}

// layerOf returns the present content of a scope; it is empty for nil.
func layerOf(s *Scope) layer {
	if s == nil {
		return layer{view: view.New(&graph.State{}, history.Commit{}, "")}
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
func (o *Overlay) compose(was *Overlay) {
	base, changed := o.below[0].view, map[string]bool{}
	if was == nil {
		for _, l := range o.below[1:] {
			for _, path := range l.view.Paths() {
				changed[path] = true
			}
		}
	} else {
		base = was.View
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
			for path, file := range l.laid { // it may cover another file than before
				if was.below[i].laid[path] != file {
					changed[path] = true
				}
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
	o.View = view.Overlaid(base, state, &delta, o.below[0].view.Head(), append([]string{Memex}, o.Names...), views)
}

// differing lists the paths of buffers that only one of two lists has.
func differing(was, is []corpus.Buffer) (paths []string) {
	for _, lists := range [][2][]corpus.Buffer{{was, is}, {is, was}} {
		for _, b := range lists[0] {
			if !slices.Contains(lists[1], b) {
				paths = append(paths, b.Path)
			}
		}
	}
	return paths
}

// highest returns the top layer with a visible document of a path, or 0.
func (o *Overlay) highest(path string) int {
	for i := len(o.below) - 1; i > 0; i-- {
		if _, has := o.below[i].view.State.Document(path); has && o.counts(i, path) {
			return i
		}
	}
	return 0
}

// counts reports whether a document of a layer may be visible. The buffer of a file is hidden
// once the file is saved. A setup file outside a project's paths is visible only if no layer
// below has it.
func (o *Overlay) counts(i int, path string) bool {
	s := o.layers[i]
	switch owner := working.AgentOf(path); {
	case owner != "":
		return owner == o.Agent && !working.IsRecord(path)
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
func (o *Overlay) fileBelow(i int, path string) merkle.Digest {
	for _, l := range slices.Backward(o.below[:i]) {
		if text, has := l.view.Text(path); has {
			return merkle.Sum([]byte(text))
		}
	}
	return NoFile
}
