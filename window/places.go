// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// places finds the nodes of an outline by id, and by what they link to: in a register
// of all nodes of an earlier outline, and in the blocks that are there since. What the
// register says counts where the block is still one of the outline.
type places struct {
	all   *register
	later []*block
	moved int // how many documents came or went since
}

// register is the places of all nodes of an outline, made when a second window asks: a
// program that asks once is quicker without. It is safe for concurrent use.
type register struct {
	asked atomic.Bool
	once  sync.Once
	made  atomic.Bool
	nodes map[string]spot
	links []lead            // by key
	files map[string][]spot // documents, by path in small letters
}

// lead says that a document links somewhere; see linkKey. Its spot has the number of
// the link in the block.
type lead struct {
	key uint64
	spot
}

// spot is where a node stands: its number in a block, and the place of that in the
// outline of the register, which is the same or near in most that follow.
type spot struct {
	block *block
	at    ref
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
			r.fill(o)
			r.made.Store(true)
		})
	}
	return true
}

func (r *register) fill(o *Outline) {
	r.nodes = make(map[string]spot, o.len())
	r.files = make(map[string][]spot, len(o.blocks))
	for at, b := range o.blocks {
		for i := range b.nodes {
			r.nodes[b.nodes[i].id] = spot{b, ref{int32(at), int32(i)}}
		}
		for i := range b.linked {
			r.links = append(r.links, lead{b.linked[i].key, spot{b, ref{int32(at), int32(i)}}})
		}
		r.files[b.folded] = append(r.files[b.folded], spot{b, ref{int32(at), 0}})
	}
	slices.SortFunc(r.links, func(a, b lead) int { return cmp.Compare(a.key, b.key) })
}

// next returns the places of the outline that follows by a change.
func (p places) next(o *Outline, c change) places {
	later := slices.DeleteFunc(slices.Clone(p.later), func(b *block) bool { return slices.Contains(c.gone, b) })
	later = append(later, c.come...)
	const few, share = 16, 32 // documents, and their share of all, may be later than the register
	if !p.all.made.Load() || len(later) > max(few, len(o.blocks)/share) {
		return places{all: newRegister(p.all.asked.Load())}
	}
	return places{p.all, later, p.moved + c.moved}
}

// placed returns where a node stands by places that were made.
func (o *Outline) placed(src Source, id string) (ref, bool) {
	if s, ok := o.places.all.nodes[id]; ok {
		if at, same := o.stands(s); same {
			return ref{at, s.at.local}, true
		} else if at >= 0 {
			if local, ok := o.blocks[at].find(id); ok {
				return ref{at, local}, true
			}
		}
	}
	return o.sought(src, id)
}

// stands returns the place of the document of a spot, -1 where there is none, and
// whether its block is the one of the spot.
func (o *Outline) stands(s spot) (at int32, same bool) {
	const most = 8
	for by := range int32(min(most, o.places.moved)) + 1 {
		for _, at := range [...]int32{s.at.block + by, s.at.block - by} {
			if at >= 0 && int(at) < len(o.blocks) && o.blocks[at] == s.block {
				return at, true
			}
		}
	}
	found, ok := o.blockAt(s.block.path)
	if !ok {
		return -1, false
	}
	return int32(found), o.blocks[found] == s.block
}

// sought returns where a node stands by what the source says of it.
func (o *Outline) sought(src Source, id string) (ref, bool) {
	doc, path := src.Document(id)
	if doc == "" {
		return nowhere, false
	}
	at, ok := o.blockAt(path)
	if !ok || o.blocks[at].nodes[0].id != doc { // a source without paths
		at = slices.IndexFunc(o.blocks, func(b *block) bool { return b.nodes[0].id == doc })
	}
	if at < 0 {
		return nowhere, false
	}
	local, ok := o.blocks[at].find(id)
	return ref{int32(at), local}, ok
}
