// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import (
	"slices"
	"strings"
)

// Entry is a key, its hash and its value, for Build.
type Entry[V any] struct {
	hash  uint64
	entry entry[V]
}

// NewEntry returns an entry. It hashes the key so that Build does not have to;
// entries can be created on all processors in parallel.
func NewEntry[V any](key string, v V) Entry[V] { return Entry[V]{hash(key), entry[V]{key, v}} }

// Build returns the map of entries; of several entries with the same key the
// last one wins. The result equals an Editor's, is built in a fraction of
// the time and has no spare capacity. Build destroys entries, which must not be
// used again. It takes O(len(entries)).
func Build[V any](entries []Entry[V]) Map[V] {
	if len(entries) == 0 {
		return Map[V]{}
	}
	b := builder[V]{arena: arena[V]{remaining: len(entries)}}
	root := b.node(entries, make([]Entry[V], len(entries)), 0)
	return Map[V]{root: root, size: b.size}
}

// builder builds the tree of Build from the root down.
type builder[V any] struct {
	arena arena[V]
	size  int // entries added so far
}

// node builds the node of the entries in list, at least one, whose hashes agree
// in the bits below shift. It overwrites list and spare, which have the same
// length.
func (b *builder[V]) node(list, spare []Entry[V], shift uint) *node[V] {
	if shift >= hashBits {
		return b.bottom(list)
	}
	var ends [levelMask + 1]int // first the number of entries of each slot, then where they end
	for i := range list {
		ends[list[i].hash>>shift&levelMask]++
	}
	entries, kids, sum := 0, 0, 0
	for s, count := range ends {
		switch count {
		case 0:
		case 1:
			entries++
		default:
			kids++
		}
		ends[s], sum = sum, sum+count
	}
	n := b.arena.node(entries, kids)
	for i := range list { // entries of one slot keep their order
		s := list[i].hash >> shift & levelMask
		spare[ends[s]] = list[i]
		ends[s]++
	}
	start := 0
	for s, end := range ends {
		b.slot(n, 1<<s, spare[start:end], list[start:end], shift+levelBits)
		start = end
	}
	return n
}

// slot adds the entries of one slot to n: as an entry if they have the same
// key, else as a child.
func (b *builder[V]) slot(n *node[V], bit uint64, list, spare []Entry[V], shift uint) {
	switch len(list) {
	case 0:
		return
	case 1:
		n.entries = append(n.entries, list[0].entry)
		b.size++
	default:
		kid := b.node(list, spare, shift)
		if !kid.single() {
			n.kids = append(n.kids, kid)
			n.kidMap |= bit
			return
		}
		n.entries = append(n.entries, kid.entries[0])
	}
	n.entryMap |= bit
}

// bottom builds a node of entries with equal hashes.
func (b *builder[V]) bottom(list []Entry[V]) *node[V] {
	slices.SortStableFunc(list, func(x, y Entry[V]) int { return strings.Compare(x.entry.key, y.entry.key) })
	n := &node[V]{}
	for i, p := range list {
		if i+1 == len(list) || list[i+1].entry.key != p.entry.key {
			n.entries = append(n.entries, p.entry)
			b.size++
		}
	}
	return n
}

// arena allocates the nodes and lists of a map that is built in one step. They
// are adjacent, so a lookup touches few pages and a large map needs few
// allocations. Everything allocated from one slice is freed together.
type arena[V any] struct {
	remaining int // entries not yet allocated
	nodes     []node[V]
	entries   []entry[V]
	kids      []*node[V]
}

// node returns an empty node whose lists have the given capacities.
func (r *arena[V]) node(entries, kids int) *node[V] {
	n := &takeFrom(&r.nodes, 1, r.chunkSize())[0]
	if entries > 0 {
		n.entries = takeFrom(&r.entries, entries, max(entries, r.remaining))[:0]
		r.remaining -= entries
	}
	if kids > 0 {
		n.kids = takeFrom(&r.kids, kids, max(kids, r.chunkSize()))[:0]
	}
	return n
}

// chunkSize is the number of nodes, and of children, to allocate at a time. It
// stays below the number that the remaining entries can need, but is of the
// same order.
func (r *arena[V]) chunkSize() int { return 1 + r.remaining/4 }

// takeFrom returns the next n values of *from, which it replaces by a slice of
// the given size if fewer are left.
func takeFrom[T any](from *[]T, n, size int) []T {
	if len(*from) < n {
		*from = make([]T, size)
	}
	taken := (*from)[:n:n]
	*from = (*from)[n:]
	return taken
}
