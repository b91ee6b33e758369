// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Family are the open scopes of a memex, projects and sessions.
type Family struct {
	memex *Scope
	mu    sync.Mutex
	open  map[string]*Scope
}

// NewFamily returns the family of a memex, which has no other open scopes yet.
func NewFamily(memex *Scope) *Family { return &Family{memex: memex} }

// Set adds a scope that was opened; with nil it removes one that is closed.
func (f *Family) Set(name string, s *Scope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = map[string]*Scope{}
	}
	if f.open[name] = s; s == nil {
		delete(f.open, name)
	}
}

// list returns the open scopes in order of names.
func (f *Family) list() []*Scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*Scope
	for _, name := range slices.Sorted(maps.Keys(f.open)) {
		out = append(out, f.open[name])
	}
	return out
}

// WithFiles returns the memex and the open projects that hold files.
func (f *Family) WithFiles() []*Scope {
	out := []*Scope{f.memex}
	for _, s := range f.list() {
		if s.HasFiles() {
			out = append(out, s)
		}
	}
	return out
}

// Sessions returns the open sessions.
func (f *Family) Sessions() []*Scope {
	var out []*Scope
	for _, s := range f.list() {
		if s.IsSession() {
			out = append(out, s)
		}
	}
	return out
}

// EndBuffers ends, in the open sessions, the buffers of files that the memory itself has
// changed. If that fails now, the next ingest ends them.
func (f *Family) EndBuffers(ctx context.Context) {
	for _, s := range f.Sessions() {
		if err := s.EndBuffersNow(ctx); err != nil {
			f.memex.Options.Log.Warn("a buffer of a file that was saved stays until the next ingest", "scope", s.Name, "error", err)
		}
	}
}

// EndBuffersNow is EndBuffers in a write of its own.
func (s *Scope) EndBuffersNow(ctx context.Context) error {
	tx := s.Chain.Begin()
	defer tx.End()
	return s.EndBuffers(ctx, tx)
}

// EndBuffers removes a session's buffers of files saved since.
func (s *Scope) EndBuffers(ctx context.Context, tx *chain.Tx) error {
	var over []string
	for _, path := range slices.Sorted(maps.Keys(s.Drift())) {
		for _, holder := range s.Family.WithFiles() {
			if holder.Root.InRegion(path) && FileNow(holder.Present(), path) != s.Drift()[path] {
				over = append(over, path)
			}
		}
	}
	if len(over) == 0 || s.Chain.Store().Err() != nil {
		return nil
	}
	now := s.Options.Now().UnixMilli()
	draft := s.Draft(now)
	for _, path := range over {
		draft.Drop(path)
	}
	state, delta := draft.Seal()
	_, err := tx.Commit(context.WithoutCancel(ctx), state, &delta, graph.Commit{
		Kind: graph.KindIngest, Author: ByFile, Session: s.Options.Actor.Session, Op: Operation(), Time: now, Message: "saved: " + Message(&delta),
	}, s.DriftMarks(over, map[string]merkle.Digest{})...)
	return err
}

// AcrossScopes rejects a move of nodes that are not in the scope here: their histories are separate, and no single
// commit could record it.
func (f *Family) AcrossScopes(op string, here *Scope, ids ...string) error {
	for _, id := range ids {
		if _, has := here.Present().Get(id); has {
			continue
		}
		for _, s := range append(f.WithFiles(), f.Sessions()...) {
			n, there := s.Present().Get(id)
			if !there {
				continue
			}
			way := "cut it out and paste it in an editor, and both files are read with the next ingest"
			if document.IsMemory(n.Path) {
				way = "take the tree in on the other side, then delete it where it was"
			}
			return fault.Wrap(op, id, fault.Invalid, fmt.Errorf("it is of %s, and a note moves only within its scope, here %s; %s", s.Name, here.Name, way))
		}
	}
	return nil
}
