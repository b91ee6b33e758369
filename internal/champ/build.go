// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import (
	"cmp"
	"slices"
)

// Build returns the map of n entries, which at gives by number; of several with
// one key the last counts. It is what an Editor makes of them, in a fraction of
// the time and without room to spare. at is called a few times for each number.
// O(n).
func Build[V any](n int, at func(i int) (key string, v V)) Map[V] {
	if n == 0 {
		return Map[V]{}
	}
	b := builder[V]{at: at}
	list := make([]place, n)
	for i := range list {
		key, _ := at(i)
		list[i] = place{hash(key), i}
	}
	root := b.node(list, make([]place, n), 0)
	return Map[V]{root: root, size: b.size}
}

// place is where an entry goes, and its number.
type place struct {
	hash uint64
	i    int
}

// builder makes the tree of a Build, from the root down.
type builder[V any] struct {
	at   func(int) (string, V)
	size int // entries so far
}

// node makes the node of the entries in list, at least one, whose hashes agree
// in the bits below shift. It uses up list and spare, which is as long.
func (b *builder[V]) node(list, spare []place, shift uint) *node[V] {
	if shift >= hashBits {
		return b.bottom(list)
	}
	var ends [levelMask + 1]int // first how many, then where each slot's entries end
	for _, p := range list {
		ends[p.hash>>shift&levelMask]++
	}
	n := &node[V]{}
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
	if entries > 0 {
		n.entries = make([]entry[V], 0, entries)
	}
	if kids > 0 {
		n.kids = make([]*node[V], 0, kids)
	}
	for _, p := range list {
		s := p.hash >> shift & levelMask
		spare[ends[s]] = p
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
func (b *builder[V]) slot(n *node[V], bit uint32, list, spare []place, shift uint) {
	switch len(list) {
	case 0:
		return
	case 1:
		n.entries = append(n.entries, b.entry(list[0]))
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

func (b *builder[V]) entry(p place) entry[V] {
	b.size++
	key, v := b.at(p.i)
	return entry[V]{key, v}
}

// bottom makes the node of entries whose hashes are equal.
func (b *builder[V]) bottom(list []place) *node[V] {
	key := func(p place) string {
		key, _ := b.at(p.i)
		return key
	}
	slices.SortFunc(list, func(x, y place) int {
		return cmp.Or(cmp.Compare(key(x), key(y)), cmp.Compare(x.i, y.i))
	})
	n := &node[V]{}
	for i, p := range list {
		if i+1 == len(list) || key(list[i+1]) != key(p) {
			n.entries = append(n.entries, b.entry(p))
		}
	}
	return n
}
