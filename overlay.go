// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/scope"
)

// minOverlays is the minimum number of scope combinations kept.
const minOverlays = 32

// overlays caches the views that lay scopes over a memex.
type overlays struct {
	last atomic.Pointer[scope.Overlay] // the most recently used

	mu    sync.Mutex
	known bound.Map[string, *scope.Overlay] // keyed by scope names and agent
}

// Over returns a view of the memex overlaid by each of the scopes in turn. If several scopes
// have a document with the same path, or claim the same id, the last one wins. A session's
// document over a file is visible until the file is saved. Only the owner sees the text of an
// editor's buffer, while the editor holds it (Options.Buffers); an agent, also one that the
// owner acts for, sees the file. The agent that ctx names sees its own blocks of working
// memory; nobody else sees any. Without scopes, it returns View.
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
	if o := x.overlays.last.Load(); o != nil && o.Agent == agent && o.Owner == owner && slices.Equal(o.Names, scopes) && o.Current(x.opened.Load()) {
		return o.View, nil
	}
	x.overlays.mu.Lock()
	defer x.overlays.mu.Unlock()
	o := &scope.Overlay{Names: slices.Clone(scopes), Agent: agent, Owner: owner, Opened: x.opened.Load()}
	layers := []*scope.Scope{x.top.scope}
	for _, name := range scopes {
		s, err := x.layer(ctx, name)
		if err != nil {
			return nil, err
		}
		layers = append(layers, s)
	}
	was, _ := x.overlays.known.Peek(o.Key())
	o.Lay(layers, was)
	x.overlays.known.Size = minOverlays
	x.overlays.known.Set(o.Key(), o)
	x.overlays.last.Store(o)
	return o.View, nil
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
