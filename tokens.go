// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/token"
)

// tokensFile keeps token counts of rendered parts, by counter and digest, so
// that a window seldom needs the exact counter at all. It is derived.
const tokensFile = "cache/tokens"

// maxTokenCounts bounds the cache: about 5 MB.
const maxTokenCounts = 100_000

// TokenCache returns the memory's cache of token counts, to be used with
// View.Window. It is loaded on first use and saved by Close.
func (m *Memory) TokenCache() *token.Cache {
	m.tokensOnce.Do(func() {
		c := token.NewCache(maxTokenCounts)
		if b, err := m.fs.ReadFile(tokensFile); err == nil {
			if err := c.UnmarshalBinary(b); err != nil {
				m.opts.Log.Warn("the token counts are damaged; they are counted again", "error", err)
				c = token.NewCache(maxTokenCounts)
			}
		}
		m.tokens, m.tokensSaved = c, c.Len()
	})
	return m.tokens
}

// saveTokens keeps the counts when there are new ones.
func (m *Memory) saveTokens() error {
	m.tokensOnce.Do(func() {}) // a reader may be loading it
	if m.tokens == nil || m.tokens.Len() == m.tokensSaved || m.store.Err() != nil {
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
