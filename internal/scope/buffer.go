// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Family are the open scopes of a memex, projects and sessions.
type Family struct {
	mu   sync.Mutex
	open map[string]*Scope
}

// Set adds a scope that was opened; with nil it removes one that is closed.
func (f *Family) Set(name string, m *Scope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = map[string]*Scope{}
	}
	if f.open[name] = m; m == nil {
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
func (m *Scope) WithFiles() []*Scope {
	out := []*Scope{m.Memex()}
	for _, s := range m.Family.list() {
		if s.HasFiles() {
			out = append(out, s)
		}
	}
	return out
}

// Sessions returns the open sessions.
func (m *Scope) Sessions() []*Scope {
	var out []*Scope
	for _, s := range m.Family.list() {
		if s.IsSession() {
			out = append(out, s)
		}
	}
	return out
}

// EndBuffersOver ends, in the open sessions, the buffers of files that the memory itself has
// changed. If that fails now, the next ingest ends them.
func (m *Scope) EndBuffersOver(ctx context.Context) {
	for _, s := range m.Memex().Sessions() {
		if err := s.EndBuffersNow(ctx); err != nil {
			m.Options.Log.Warn("a buffer of a file that was saved stays until the next ingest", "scope", s.Name, "error", err)
		}
	}
}

// EndBuffersNow is endBuffers for a caller that is not the chain's writer.
func (s *Scope) EndBuffersNow(ctx context.Context) error {
	defer s.Chain.Begin().End()
	return s.EndBuffers(ctx)
}

// EndBuffers removes a session's buffers of files saved since. The caller is the chain's
// writer.
func (m *Scope) EndBuffers(ctx context.Context) error {
	var over []string
	for _, path := range slices.Sorted(maps.Keys(m.Drift())) {
		for _, s := range m.WithFiles() {
			if s.Root.InRegion(path) && s.FileNow(path) != m.Drift()[path] {
				over = append(over, path)
			}
		}
	}
	if len(over) == 0 || m.Chain.Store().Err() != nil {
		return nil
	}
	now := m.Options.Now().UnixMilli()
	draft := m.Draft(now)
	for _, path := range over {
		draft.Drop(path)
	}
	state, delta := draft.Seal()
	_, err := m.Chain.Writer().Commit(context.WithoutCancel(ctx), state, &delta, graph.Commit{
		Kind: graph.KindIngest, Author: ByFile, Session: m.Options.Actor.Session, Op: Operation(), Time: now, Message: "saved: " + Message(&delta),
	}, m.DriftMarks(over, map[string]merkle.Digest{})...)
	return err
}

// OverFiles reports whether a session holds buffers of files.
func (s *Scope) OverFiles() bool {
	defer s.Chain.Begin().End()
	return len(s.Drift()) > 0
}
