// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// A buffer is a tree that an editor has not saved: a session's document under the path of a
// file. Memory.drift holds the digest that the file had when the buffer was sent.

// bufferedFile returns the file whose document a tree names, "" for none, and the memory that
// holds it.
func (m *Memory) bufferedFile(t *node.Tree) (holder *Memory, path string) {
	attrs := map[string]string{}
	for _, a := range t.Attrs {
		attrs[a.Key] = a.Value.String()
	}
	for _, s := range m.withFiles() {
		state := s.present()
		if n, ok := state.Get(t.ID()); ok && n.Parent == "" && !state.IsTree(n.Path) {
			return s, n.Path
		}
		if t.Type != "org-data" && t.Type != node.TypeDocument {
			continue
		}
		for _, key := range []string{"PATH", "FILE"} {
			name, inside := s.root.Relative(attrs[key])
			if _, ok := state.Document(name); ok && inside && attrs[key] != "" {
				return s, name
			}
		}
	}
	return nil, ""
}

// family are the open scopes of a memex, projects and sessions.
type family struct {
	mu   sync.Mutex
	open map[string]*Memory
}

// set adds a scope that was opened; with nil it removes one that is closed.
func (f *family) set(name string, m *Memory) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = map[string]*Memory{}
	}
	if f.open[name] = m; m == nil {
		delete(f.open, name)
	}
}

// list returns the open scopes in order of names.
func (f *family) list() []*Memory {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*Memory
	for _, name := range slices.Sorted(maps.Keys(f.open)) {
		out = append(out, f.open[name])
	}
	return out
}

// withFiles returns the memex and the open projects that hold files.
func (m *Memory) withFiles() []*Memory {
	out := []*Memory{m.memex()}
	for _, s := range m.family.list() {
		if s.hasFiles() {
			out = append(out, s)
		}
	}
	return out
}

// bufferScope returns the memory of the session that keeps a file's buffer.
func (m *Memory) bufferScope(ctx context.Context, path string) (*Memory, error) {
	if m.isSession() {
		return m, nil
	}
	session := m.entry(ctx, "", "", "", 0).Session
	if session == "" {
		return nil, fail("ingest", path, Invalid, errors.New("the tree is a buffer of this file; name the session that it belongs to"))
	}
	return m.Scope(ctx, kindSession+"/"+session)
}

// sessions returns the open sessions.
func (m *Memory) sessions() []*Memory {
	var out []*Memory
	for _, s := range m.family.list() {
		if s.isSession() {
			out = append(out, s)
		}
	}
	return out
}

// endBuffersOver ends, in the open sessions, the buffers of files that the memory itself has
// changed. If that fails now, the next ingest ends them.
func (m *Memory) endBuffersOver(ctx context.Context) {
	for _, s := range m.memex().sessions() {
		if err := s.endBuffersNow(ctx); err != nil {
			m.opts.Log.Warn("a buffer of a file that was saved stays until the next ingest", "scope", s.scope, "error", err)
		}
	}
}

// endBuffersNow is endBuffers for a caller that is not the chain's writer.
func (m *Memory) endBuffersNow(ctx context.Context) error {
	defer m.chain.Begin().End()
	return m.endBuffers(ctx)
}

// endBuffers removes a session's buffers of files saved since. The caller is the chain's
// writer.
func (m *Memory) endBuffers(ctx context.Context) error {
	var over []string
	for _, path := range slices.Sorted(maps.Keys(m.drift())) {
		for _, s := range m.withFiles() {
			if s.root.InRegion(path) && s.fileNow(path) != m.drift()[path] {
				over = append(over, path)
			}
		}
	}
	if len(over) == 0 || m.chain.Store().Err() != nil {
		return nil
	}
	now := m.opts.Now().UnixMilli()
	draft := m.draft(now)
	for _, path := range over {
		draft.Drop(path)
	}
	state, delta := draft.Seal()
	_, err := m.chain.Writer().Commit(context.WithoutCancel(ctx), state, &delta, graph.Commit{
		Kind: graph.KindIngest, Author: byFile, Session: m.opts.Actor.Session, Op: operation(), Time: now, Message: "saved: " + message(&delta),
	}, m.driftMarks(over, map[string]merkle.Digest{})...)
	return err
}
