// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import (
	"slices"
	"strings"
)

// Entry is a key with its value, for Build.
type Entry[V any] struct {
	hash  uint64
	entry entry[V]
}

// NewEntry returns an entry. It costs the hash of the key, which Build then need
// not compute: entries can be made on all processors.
func NewEntry[V any](key string, v V) Entry[V] { return Entry[V]{hash(key), entry[V]{key, v}} }

// Build returns the map of entries; of several with one key the last counts. It is
// what an Editor makes of them, in a fraction of the time and without room to
// spare. It uses up entries, which must not be used again. O(len(entries)).
func Build[V any](entries []Entry[V]) Map[V] {
	if len(entries) == 0 {
		return Map[V]{}
	}
	b := builder[V]{arena: arena[V]{remaining: len(entries)}}
	root := b.node(entries, make([]Entry[V], len(entries)), 0)
	return Map[V]{root: root, size: b.size}
}

// builder makes the tree of a Build, from the root down.
type builder[V any] struct {
	arena arena[V]
	size  int // entries so far
}

// node makes the node of the entries in list, at least one, whose hashes agree
// in the bits below shift. It uses up list and spare, which is as long.
func (b *builder[V]) node(list, spare []Entry[V], shift uint) *node[V] {
	if shift >= hashBits {
		return b.bottom(list)
	}
	var ends [levelMask + 1]int // first how many, then where each slot's entries end
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
	for i := range list { // entries of one slot stay in their order
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

// slot puts the entries of one slot into n: as an entry if they have one key,
// else as a child.
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

// bottom makes the node of entries whose hashes are equal.
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
