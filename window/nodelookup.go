// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// nodeLookup finds the nodes of an outline by id and by link target. It combines the
// index of an earlier outline with the blocks added since. An index entry is valid if
// its block is still part of the outline.
type nodeLookup struct {
	index  *nodeIndex
	added  []*block
	shifts int // number of documents added or removed since
}

// nodeIndex locates all nodes of an outline. It is built when a second window needs it,
// because a program that builds one window is faster without. It is safe for concurrent
// use.
type nodeIndex struct {
	usedOnce atomic.Bool
	once     sync.Once
	built    atomic.Bool
	nodes    map[string]location
	links    []linkEntry           // by key
	files    map[string][]location // documents, by path in lower case
}

// linkEntry is an indexed link; see linkKey. Its location holds the index of the link
// within the block.
type linkEntry struct {
	key uint64
	location
}

// location is the position of a node: the block, the node's index in it, and the index
// of the block in the indexed outline. In later outlines the block has the same index
// or one nearby.
type location struct {
	block *block
	ref   ref
}

func newNodeIndex(usedOnce bool) *nodeIndex {
	r := &nodeIndex{}
	r.usedOnce.Store(usedOnce)
	return r
}

// useIndex reports whether lookups should use the index, and builds it. It returns
// false on the first use.
func (o *Outline) useIndex() bool {
	r := o.lookup.index
	if !r.usedOnce.Swap(true) {
		return false
	}
	r.once.Do(func() {
		r.build(o)
		r.built.Store(true)
	})
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

// update returns the lookup of o, the outline that results from delta.
func (p nodeLookup) update(o *Outline, delta outlineDelta) nodeLookup {
	added := slices.DeleteFunc(slices.Clone(p.added), func(b *block) bool { return slices.Contains(delta.removed, b) })
	added = append(added, delta.added...)
	const minAdded, share = 16, 32 // the index is dropped when more documents than both were added: a count, and 1/share of all
	if !p.index.built.Load() || len(added) > max(minAdded, len(o.blocks)/share) {
		return nodeLookup{index: newNodeIndex(p.index.usedOnce.Load())}
	}
	return nodeLookup{p.index, added, p.shifts + delta.shifts}
}

// findIndexed returns the position of a node, by the index where it is valid.
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

// locate returns the index of the document of a location, -1 if it is gone, and whether
// its block is still the one of the location. It first tries up to maxShift blocks to
// either side of the indexed one.
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

// findInSource returns the position of a node, by the document that the source reports.
func (o *Outline) findInSource(src Source, id string) (ref, bool) {
	doc, path := src.Document(id)
	if doc == "" {
		return noRef, false
	}
	index, ok := o.blockAt(path)
	if !ok || o.blocks[index].nodes[0].id != doc { // the source has no paths
		index = slices.IndexFunc(o.blocks, func(b *block) bool { return b.nodes[0].id == doc })
	}
	if index < 0 {
		return noRef, false
	}
	local, ok := o.blocks[index].find(id)
	return ref{int32(index), local}, ok
}
