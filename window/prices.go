// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "sync/atomic"

// prices are the exact costs of the nodes of a block at the levels that no request
// changes, by one counter and renderer. They stay for as long as the document does
// not change: most of what a window weighs it does not show, and need not write.
type prices struct {
	of     pricing
	tokens []atomic.Uint32 // by node: at level title, at level full; 0 where not known
}

// pricing is what a price depends on besides the document.
type pricing struct {
	counter string
	render  renderer
}

// priceOf returns where the price of a node of a block is kept.
func (b *block) priceOf(local int32, level Level, of pricing) *atomic.Uint32 {
	list := b.prices.Load()
	if list == nil || list.of != of {
		list = &prices{of, make([]atomic.Uint32, 2*len(b.nodes))}
		b.prices.Store(list) // of two at once one is lost, and found again
	}
	at := 2 * local
	if level == Full {
		at++
	}
	return &list.tokens[at]
}

// fixed reports whether the price of a candidate at a level is that of its document:
// nothing of the request is in its text.
func (p *plan) fixed(i int, level Level) bool {
	return level != Snippet && i != p.focus && p.req.Policy == PolicyValue && p.req.Format != FormatJSON
}

// price is what a candidate costs at a level, joint included.
func (p *plan) price(i int, level Level) int {
	n := &p.nodes[i]
	if n.prices[level] != 0 {
		return int(n.prices[level])
	}
	if !p.fixed(i, level) {
		return p.piece(i, level).tokens
	}
	kept := p.t.blocks[n.block].priceOf(n.local, level, pricing{p.req.Counter.Name(), p.render})
	if tokens := kept.Load(); tokens != 0 {
		n.prices[level] = int32(tokens)
		return int(tokens)
	}
	tokens := p.piece(i, level).tokens
	kept.Store(uint32(tokens))
	return tokens
}
