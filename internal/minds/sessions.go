// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// shownFile stores what sessions were shown, so that it is not repeated. It can be deleted at any time; then
// sessions are shown everything again.
const shownFile = "cache/shown"

const (
	maxSessions   = 192     // records; a session has up to three: its windows, the notes that it saw whole, reported mail
	maxReported   = 4096    // ids of one kind that were reported to a session
	maxShownBytes = 1 << 20 // bytes of one record in the file; a larger one is not stored
)

// Sessions is what the sessions of a memex were shown.
type Sessions struct {
	top     *scope.Scope
	mu      sync.Mutex
	loaded  bool
	changed bool
	shown   bound.Map[string, *sessionWindows] // by session, asker and layout
}

// sessionWindows is what one caller of a session was shown.
type sessionWindows struct {
	mu    sync.Mutex // held while a window is built, so that no two windows show the same
	shown *window.Shown
}

// NewSessions returns what the sessions of a memex were shown; the file is read on first use.
func NewSessions(top *scope.Scope) *Sessions { return &Sessions{top: top} }

// Window returns a window of build that omits what the session has seen; see fovea.Memory.SessionWindow.
// name identifies the session, the caller and the layout. With undecided, the text may show changes that
// its owner has yet to decide about; then nothing is remembered of it.
func (s *Sessions) Window(name string, req window.Request, fresh, undecided bool, build func(window.Request) (*window.Window, error),
) (*window.Window, error) {
	of := s.of(name)
	of.mu.Lock()
	defer of.mu.Unlock()
	if req.Session = (&window.Session{Shown: of.shown, Layout: req.Session.Layout}); fresh || undecided {
		req.Session.Shown = nil
	}
	w, err := build(req)
	if err != nil {
		return nil, err
	}
	if of.shown = w.Shown; undecided {
		of.shown = &window.Shown{}
	}
	return w, nil
}

// Shown is Host.Shown.
func (s *Sessions) Shown(key string, use func(*window.Shown) *window.Shown) {
	of := s.of(key)
	of.mu.Lock()
	defer of.mu.Unlock()
	of.shown = use(of.shown)
}

// Unreported returns the ids that the session has not been told about, and records them as told. key names
// the session and the kind of ids. With fresh, the session starts over. The record is stored like that of
// windows, see Window.
func (s *Sessions) Unreported(key string, ids []string, fresh bool) (unknown []string) {
	s.Shown(key, func(before *window.Shown) *window.Shown {
		all := &window.Shown{Nodes: map[string]window.ShownNode{}}
		if !fresh && len(before.Nodes) < maxReported { // else ids that are no longer asked about are forgotten
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
func (s *Sessions) of(key string) *sessionWindows {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown.Size = maxSessions; !s.loaded {
		s.loaded = true
		b, err := s.top.FS.ReadFile(shownFile)
		if err == nil {
			err = s.decode(b)
			_ = s.top.FS.Remove(shownFile) // after a crash it would be out of date
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.top.Options.Log.Warn("the record of what sessions were shown cannot be read; they are shown everything again", "error", err)
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
func (s *Sessions) decode(b []byte) error {
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

// Save writes the file if a session was shown something.
func (s *Sessions) Save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.changed || s.top.Chain.Store().Err() != nil {
		return nil
	}
	all := maps.Collect(s.shown.All())
	var records []any
	for _, key := range slices.Sorted(maps.Keys(all)) {
		w := all[key]
		w.mu.Lock()
		record, err := w.shown.AppendBinary(nil)
		w.mu.Unlock()
		if err != nil {
			return err
		}
		if len(record) <= maxShownBytes {
			records = append(records, merkle.Bytes(&key), &record)
		}
	}
	return writeCache(s.top, shownFile, merkle.Encode(merkle.Record(records...)))
}

// writeCache replaces a file in the folder of caches.
func writeCache(s *scope.Scope, name string, b []byte) error {
	if err := s.FS.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(s.FS, name, b, 0o600)
}

// Clear forgets what sessions were shown, for a purge.
func (s *Sessions) Clear() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Clear()
	s.loaded, s.changed = true, false
	if err := vfs.RemoveIfThere(s.top.FS, shownFile); err != nil {
		return fmt.Errorf("what sessions were shown: %w", err)
	}
	return nil
}

// tokensFile caches token counts of rendered parts, by counter and digest, so that most windows need not
// count. It can be deleted at any time.
const tokensFile = "cache/tokens"

// maxTokenCounts bounds the cache: about 5 MB.
const maxTokenCounts = 100_000

// TokenCounts is the cache of token counts of a memory.
type TokenCounts struct {
	once  sync.Once
	cache *token.Cache
	saved int // counts in the file
}

// Cache returns the cache of a scope. The first call loads it.
func (t *TokenCounts) Cache(s *scope.Scope) *token.Cache {
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

// Save saves the cache if it has new counts.
func (t *TokenCounts) Save(s *scope.Scope) error {
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
