// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"sync/atomic"

	"github.com/fovea-memory/fovea/window/render"
)

// priceTable caches the exact costs of the nodes of a block, at the levels that do not
// depend on the request, for one counter and renderer. It lives as long as the document
// is unchanged. Most candidates that a window considers are not shown, and with a
// cached price they need not be rendered.
type priceTable struct {
	key    priceKey
	tokens []atomic.Uint32 // by node and level from title on; 0 if unknown
}

// priceKey is what a price depends on besides the document.
type priceKey struct {
	counter string
	render  render.Renderer
	caller  string
}

// cachedPrice returns the cache slot for the price of a node.
func (b *block) cachedPrice(local int32, level Level, key priceKey) *atomic.Uint32 {
	table := b.prices.Load()
	if table == nil || table.key != key {
		table = &priceTable{key, make([]atomic.Uint32, int(Full)*len(b.nodes))}
		b.prices.Store(table) // if two goroutines race, one table is lost and filled again
	}
	return &table.tokens[int(Full)*int(local)+int(level)-int(Title)]
}

// isCacheable reports whether the text of a candidate at a level depends on its
// document alone, not on the request.
func (p *plan) isCacheable(i int, level Level) bool {
	n := &p.details[i]
	byRequest := i == p.focus || p.tree.workingOf(n.ref) != nil || n.source || n.corrected || n.headingShown
	return level != Snippet && !byRequest && p.req.Policy != PolicyFoveal && p.req.Format != FormatJSON
}

// price returns the tokens of a candidate at a level, including the separator.
func (p *plan) price(i int, level Level) int {
	n := &p.details[i]
	if n.prices[level] != 0 {
		return int(n.prices[level])
	}
	if !p.isCacheable(i, level) {
		return p.piece(i, level).tokens
	}
	cached := p.tree.blocks[n.block].cachedPrice(n.local, level, priceKey{p.req.Counter.Name(), p.renderer, p.req.Caller.Agent})
	if tokens := cached.Load(); tokens != 0 {
		n.prices[level] = int32(tokens)
		return int(tokens)
	}
	tokens := p.piece(i, level).tokens
	cached.Store(uint32(tokens))
	return tokens
}
