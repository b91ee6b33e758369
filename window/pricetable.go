// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "sync/atomic"

// prices are the exact costs of the nodes of a block at the levels that no request
// changes, by one counter and renderer. They stay for as long as the document does
// not change: most of what a window weighs it does not show, and need not write.
type priceTable struct {
	key    priceKey
	tokens []atomic.Uint32 // by node: at level title, at level full; 0 where not known
}

// pricing is what a price depends on besides the document.
type priceKey struct {
	counter string
	render  renderer
}

// priceOf returns where the price of a node of a block is kept.
func (b *block) cachedPrice(local int32, level Level, key priceKey) *atomic.Uint32 {
	table := b.prices.Load()
	if table == nil || table.key != key {
		table = &priceTable{key, make([]atomic.Uint32, 2*len(b.nodes))}
		b.prices.Store(table) // of two at once one is lost, and found again
	}
	index := 2 * local
	if level == Full {
		index++
	}
	return &table.tokens[index]
}

// fixed reports whether the price of a candidate at a level is that of its document:
// nothing of the request is in its text.
func (p *plan) isCacheable(i int, level Level) bool {
	return level != Snippet && i != p.focus && p.req.Policy == PolicyValue && p.req.Format != FormatJSON
}

// price is what a candidate costs at a level, joint included.
func (p *plan) price(i int, level Level) int {
	n := &p.details[i]
	if n.prices[level] != 0 {
		return int(n.prices[level])
	}
	if !p.isCacheable(i, level) {
		return p.piece(i, level).tokens
	}
	cached := p.tree.blocks[n.block].cachedPrice(n.local, level, priceKey{p.req.Counter.Name(), p.renderer})
	if tokens := cached.Load(); tokens != 0 {
		n.prices[level] = int32(tokens)
		return int(tokens)
	}
	tokens := p.piece(i, level).tokens
	cached.Store(uint32(tokens))
	return tokens
}
