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
type nodeLookup struct {
	index  *nodeIndex
	added  []*block
	shifts int // how many documents came or went since
}

// register is the places of all nodes of an outline, made when a second window asks: a
// program that asks once is quicker without. It is safe for concurrent use.
type nodeIndex struct {
	usedOnce atomic.Bool
	once     sync.Once
	built    atomic.Bool
	nodes    map[string]location
	links    []linkEntry           // by key
	files    map[string][]location // documents, by path in small letters
}

// lead says that a document links somewhere; see linkKey. Its spot has the number of
// the link in the block.
type linkEntry struct {
	key uint64
	location
}

// spot is where a node stands: its number in a block, and the place of that in the
// outline of the register, which is the same or near in most that follow.
type location struct {
	block *block
	ref   ref
}

func newNodeIndex(usedOnce bool) *nodeIndex {
	r := &nodeIndex{}
	r.usedOnce.Store(usedOnce)
	return r
}

// worth reports whether the places of o pay, and makes them.
func (o *Outline) useIndex() bool {
	r := o.lookup.index
	if !r.usedOnce.Swap(true) {
		return false
	}
	if !r.built.Load() {
		r.once.Do(func() {
			r.build(o)
			r.built.Store(true)
		})
	}
	return true
}

func (r *nodeIndex) build(o *Outline) {
	r.nodes = make(map[string]location, o.len())
	r.files = make(map[string][]location, len(o.blocks))
	for blockAt, b := range o.blocks {
		for i := range b.nodes {
			r.nodes[b.nodes[i].id] = location{b, ref{int32(blockAt), int32(i)}}
		}
		for i := range b.links {
			r.links = append(r.links, linkEntry{b.links[i].key, location{b, ref{int32(blockAt), int32(i)}}})
		}
		r.files[b.foldedPath] = append(r.files[b.foldedPath], location{b, ref{int32(blockAt), 0}})
	}
	slices.SortFunc(r.links, func(a, b linkEntry) int { return cmp.Compare(a.key, b.key) })
}

// next returns the places of the outline that follows by a change.
func (p nodeLookup) update(o *Outline, delta outlineDelta) nodeLookup {
	added := slices.DeleteFunc(slices.Clone(p.added), func(b *block) bool { return slices.Contains(delta.removed, b) })
	added = append(added, delta.added...)
	const minAdded, share = 16, 32 // documents, and their share of all, may be later than the register
	if !p.index.built.Load() || len(added) > max(minAdded, len(o.blocks)/share) {
		return nodeLookup{index: newNodeIndex(p.index.usedOnce.Load())}
	}
	return nodeLookup{p.index, added, p.shifts + delta.shifts}
}

// placed returns where a node stands by places that were made.
func (o *Outline) findIndexed(src Source, id string) (ref, bool) {
	if loc, ok := o.lookup.index.nodes[id]; ok {
		if index, current := o.locate(loc); current {
			return ref{index, loc.ref.local}, true
		} else if index >= 0 {
			if local, ok := o.blocks[index].find(id); ok {
				return ref{index, local}, true
			}
		}
	}
	return o.findInSource(src, id)
}

// stands returns the place of the document of a spot, -1 where there is none, and
// whether its block is the one of the spot.
func (o *Outline) locate(loc location) (index int32, current bool) {
	const maxShift = 8
	for shift := range int32(min(maxShift, o.lookup.shifts)) + 1 {
		for _, index := range [...]int32{loc.ref.block + shift, loc.ref.block - shift} {
			if index >= 0 && int(index) < len(o.blocks) && o.blocks[index] == loc.block {
				return index, true
			}
		}
	}
	found, ok := o.blockAt(loc.block.path)
	if !ok {
		return -1, false
	}
	return int32(found), o.blocks[found] == loc.block
}

// sought returns where a node stands by what the source says of it.
func (o *Outline) findInSource(src Source, id string) (ref, bool) {
	doc, path := src.Document(id)
	if doc == "" {
		return noRef, false
	}
	index, ok := o.blockAt(path)
	if !ok || o.blocks[index].nodes[0].id != doc { // a source without paths
		index = slices.IndexFunc(o.blocks, func(b *block) bool { return b.nodes[0].id == doc })
	}
	if index < 0 {
		return noRef, false
	}
	local, ok := o.blocks[index].find(id)
	return ref{int32(index), local}, ok
}
