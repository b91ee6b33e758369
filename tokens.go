// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/token"
)

// tokensFile caches token counts of rendered parts, by counter and digest, so that most
// windows count nothing. It can be deleted at any time.
const tokensFile = "cache/tokens"

// maxTokenCounts bounds the cache: about 5 MB.
const maxTokenCounts = 100_000

// TokenCache returns the memory's cache of token counts, for the requests of
// View.Window. The first call loads it, and Close saves it.
func (m *Memory) TokenCache() *token.Cache {
	m.tokensOnce.Do(func() {
		c := token.NewCache(maxTokenCounts)
		if b, err := m.fs.ReadFile(tokensFile); err == nil {
			if err := c.UnmarshalBinary(b); err != nil {
				m.opts.Log.Warn("the cache of token counts is damaged; it starts empty", "error", err)
				c = token.NewCache(maxTokenCounts)
			}
		}
		m.tokens, m.tokensSaved = c, c.Len()
	})
	return m.tokens
}

// saveTokens saves the cache if it has new counts.
func (m *Memory) saveTokens() error {
	m.tokensOnce.Do(func() {}) // wait for a reader that is loading it
	if m.tokens == nil || m.tokens.Len() == m.tokensSaved || m.chain.Store().Err() != nil {
		return nil
	}
	b, err := m.tokens.MarshalBinary()
	if err != nil {
		return err
	}
	if err := m.fs.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(m.fs, tokensFile, b, 0o600)
}
