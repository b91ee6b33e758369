// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// shownFile keeps what sessions were shown, so that they are not told twice. It can be
// deleted at any time: then they are.
const shownFile = "cache/shown"

const (
	maxSessions   = 192     // at least a third as many sessions are remembered, with what they saw whole and were told of mail
	maxTold       = 4096    // things of one kind that a session was told of
	maxShownBytes = 1 << 20 // of one session in the file; one with more is told again
)

// sessions is what the sessions of a memex were shown.
type sessions struct {
	mu      sync.Mutex
	loaded  bool
	changed bool
	shown   bound.Map[string, *sessionWindows] // by session, asker and layout
}

// sessionWindows is what one reader of a session was shown.
type sessionWindows struct {
	mu    sync.Mutex // held while a window is built, so that two windows do not show the same
	shown *window.Shown
}

// SessionWindow is View.Window for a session, of a view of this memory: the window leaves
// out what the session was shown before, in the layout of the request's Session. Agents that share a
// session are told apart. With fresh, the session begins anew. What a session was shown is
// kept for the 64 sessions used last, across restarts.
func (m *Memory) SessionWindow(ctx context.Context, v View, session string, req window.Request, fresh bool) (*window.Window, error) {
	x, layout := m.memex, ""
	if req.Session != nil {
		layout = req.Session.Layout
	}
	by := author.ActorOf(ctx).Author.String()
	s := x.sessions.of(x.top.scope, session+"\n"+by+"\n"+layout)
	s.mu.Lock()
	defer s.mu.Unlock()
	// A text that may hold what its owner has yet to decide about is not repeated.
	undecided := layout == window.LayoutSticky && len(v.Lockdown())+len(v.Unreviewed()) > 0
	if req.Session = (&window.Session{Shown: s.shown, Layout: layout}); fresh || undecided {
		req.Session.Shown = nil
	}
	w, err := v.Window(ctx, req)
	if err != nil {
		return nil, err
	}
	if s.shown = w.Shown; undecided {
		s.shown = &window.Shown{}
	}
	return w, nil
}

// shownTo is minds.Host.Shown.
func (x *memex) shownTo(key string, use func(*window.Shown) *window.Shown) {
	s := x.sessions.of(x.top.scope, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = use(s.shown)
}

// unreported returns those of some things that a session was not told of before, and notes that it
// now was. key names the session, and what kind of thing. With fresh, the session begins anew.
// What it was told is kept as what windows have shown is, see SessionWindow.
func (x *memex) unreported(key string, ids []string, fresh bool) (unknown []string) {
	x.shownTo(key, func(before *window.Shown) *window.Shown {
		all := &window.Shown{Nodes: map[string]window.ShownNode{}}
		if !fresh && before.Len() < maxTold { // else what is not asked about any more is forgotten
			maps.Copy(all.Nodes, before.Nodes)
		}
		for _, id := range ids {
			all.Nodes[id] = window.ShownNode{}
			if _, known := before.Nodes[id]; fresh || !known {
				unknown = append(unknown, id)
			}
		}
		return all
	})
	return unknown
}

// of returns the windows of a session.
func (s *sessions) of(top *scope.Scope, key string) *sessionWindows {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown.Size = maxSessions; !s.loaded {
		s.loaded = true
		b, err := top.FS.ReadFile(shownFile)
		if err == nil {
			err = s.decode(b)
			_ = top.FS.Remove(shownFile) // after a crash it would be older than what sessions wrote
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			top.Options.Log.Warn("what sessions were shown cannot be read; they are told again", "error", err)
		}
	}
	s.changed = true
	w, ok := s.shown.Get(key)
	if !ok {
		w = &sessionWindows{shown: &window.Shown{}}
		s.shown.Set(key, w)
	}
	return w
}

// decode reads the file: a list of keys, each followed by what was shown.
func (s *sessions) decode(b []byte) error {
	r := merkle.NewReader(b)
	n := r.List()
	for i := 0; i+1 < n; i += 2 {
		key, record := string(r.Bytes()), &window.Shown{}
		if err := record.UnmarshalBinary(r.Bytes()); err != nil {
			s.shown.Clear()
			return err
		}
		s.shown.Set(key, &sessionWindows{shown: record})
	}
	return r.Done()
}

// save writes the file if a session was shown something.
func (s *sessions) save(top *scope.Scope) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.changed || top.Chain.Store().Err() != nil {
		return nil
	}
	all := maps.Collect(s.shown.All())
	var records []byte
	kept := 0
	for _, key := range slices.Sorted(maps.Keys(all)) {
		w := all[key]
		w.mu.Lock()
		record, err := w.shown.AppendBinary(nil)
		w.mu.Unlock()
		if err != nil {
			return err
		}
		if len(record) <= maxShownBytes {
			records = merkle.AppendBytes(merkle.AppendBytes(records, key), record)
			kept++
		}
	}
	b := append(merkle.AppendList(nil, 2*kept), records...)
	return writeCache(top, shownFile, b)
}

// writeCache replaces a file in the folder of caches.
func writeCache(s *scope.Scope, name string, b []byte) error {
	if err := s.FS.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(s.FS, name, b, 0o600)
}

// clear forgets what sessions were shown, such as text that is purged.
func (s *sessions) clear(top *scope.Scope) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Clear()
	s.loaded, s.changed = true, false
	if err := vfs.RemoveIfThere(top.FS, shownFile); err != nil {
		return fmt.Errorf("what sessions were shown: %w", err)
	}
	return nil
}

// writerOf opens the writer of a scope for a room.
func (x *memex) writerOf(ctx context.Context, name string) (*write.Writer, error) {
	m, err := x.scope(ctx, name)
	if err != nil {
		return nil, err
	}
	return m.writer, nil
}

// newWindows returns the log of the windows that agents are given.
func newWindows(x *memex) *minds.Windows {
	top := x.top.scope
	return minds.NewWindows(minds.Host{
		Open: x.writerOf, Scopes: x.scopes, Names: x.names, Load: x.top.blocks.Files().Content, Shown: x.shownTo,
		Writable: func() error { return x.top.Writable() },
		Off:      top.Options.OmitWindows, OffActions: top.Options.OmitActions, Log: top.Options.Log,
	})
}

// tokensFile caches token counts of rendered parts, by counter and digest, so that most
// windows count nothing. It can be deleted at any time.
const tokensFile = "cache/tokens"

// maxTokenCounts bounds the cache: about 5 MB.
const maxTokenCounts = 100_000

// tokenCounts is the cache of token counts of a memory.
type tokenCounts struct {
	once  sync.Once
	cache *token.Cache
	saved int // counts in the file
}

// TokenCache returns the memory's cache of token counts, for the requests of
// View.Window. The first call loads it, and Close saves it.
func (m *Memory) TokenCache() *token.Cache {
	t, s := &m.tokens, m.scope
	t.once.Do(func() {
		c := token.NewCache(maxTokenCounts)
		if b, err := s.FS.ReadFile(tokensFile); err == nil {
			if err := c.UnmarshalBinary(b); err != nil {
				s.Options.Log.Warn("the cache of token counts is damaged; it starts empty", "error", err)
				c = token.NewCache(maxTokenCounts)
			}
		}
		t.cache, t.saved = c, c.Len()
	})
	return t.cache
}

// save saves the cache if it has new counts.
func (t *tokenCounts) save(s *scope.Scope) error {
	t.once.Do(func() {}) // wait for a reader that is loading it
	if t.cache == nil || t.cache.Len() == t.saved || s.Chain.Store().Err() != nil {
		return nil
	}
	b, err := t.cache.MarshalBinary()
	if err != nil {
		return err
	}
	return writeCache(s, tokensFile, b)
}
