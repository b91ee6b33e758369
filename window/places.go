// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"maps"
	"sync"
	"sync/atomic"
)

// spot is where a node stands: its number in a block, and the place of that in the
// outline where it was new, which is the same one in most that follow.
type spot struct {
	block *block
	local int32
	at    int32
}

// places finds the nodes of an outline by id: in a map of those of the documents that
// changed since an earlier outline, then in one of all nodes of that. What they say
// counts where the block is still one of the outline.
type places struct {
	all   *register
	later map[string]spot // never changed
}

// register is the places of all nodes of an outline, made when a second window asks: a
// program that asks once is quicker without. It is safe for concurrent use.
type register struct {
	asked atomic.Bool
	once  sync.Once
	made  atomic.Bool
	nodes map[string]spot
}

func newRegister(asked bool) *register {
	r := &register{}
	r.asked.Store(asked)
	return r
}

// worth reports whether the places of o pay, and makes them.
func (o *Outline) worth() bool {
	r := o.places.all
	if !r.asked.Swap(true) {
		return false
	}
	if !r.made.Load() {
		r.once.Do(func() {
			r.nodes = make(map[string]spot, o.len())
			for at, b := range o.blocks {
				b.enter(r.nodes, at)
			}
			r.made.Store(true)
		})
	}
	return true
}

// enter adds the nodes of a block, which stands at a place.
func (b *block) enter(nodes map[string]spot, at int) {
	for i := range b.nodes {
		nodes[b.nodes[i].id] = spot{b, int32(i), int32(at)}
	}
}

// next returns the places of the outline that follows, in which some blocks are new.
func (p places) next(o *Outline, now []int) places {
	later := maps.Clone(p.later)
	for _, at := range now {
		if later == nil {
			later = map[string]spot{}
		}
		o.blocks[at].enter(later, at)
	}
	const share = 8 // of the nodes may be later than the register
	if !p.all.made.Load() || len(later) > o.len()/share {
		return places{all: newRegister(p.all.asked.Load())}
	}
	return places{p.all, later}
}

// placed returns the number of a node by places that were made.
func (o *Outline) placed(id string) (int32, bool) {
	p, ok := o.places.later[id]
	if !ok {
		p, ok = o.places.all.nodes[id]
	}
	if !ok {
		return 0, false
	}
	if int(p.at) < len(o.blocks) && o.blocks[p.at] == p.block {
		return o.starts[p.at] + p.local, true
	}
	at, ok := o.order[p.block.nodes[0].id]
	if !ok || o.blocks[at] != p.block {
		return 0, false
	}
	return o.starts[at] + p.local, true
}

// sought returns the number of a node by what the source says of it.
func (o *Outline) sought(src Source, id string) (int32, bool) {
	at, ok := o.order[src.Document(id)]
	if !ok {
		return 0, false
	}
	local, ok := o.blocks[at].find(id)
	return o.starts[at] + local, ok
}
