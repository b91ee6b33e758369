// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"sync"

	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/token"
)

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
	if err := s.FS.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(s.FS, tokensFile, b, 0o600)
}
