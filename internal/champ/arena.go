// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

// arena is where the nodes of a map that is made at once stand, and their lists:
// side by side, so that a look-up touches few pages and a large map is few
// allocations. What is cut from one slice is freed together.
type arena[V any] struct {
	remaining int // entries that are still to come
	nodes     []node[V]
	entries   []entry[V]
	kids      []*node[V]
}

// node returns an empty node with lists of these capacities.
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

// chunkSize is how many nodes, and so how many children, are made room for at a time:
// fewer than there are ever to be for the entries that are still to come, but not
// many times fewer.
func (r *arena[V]) chunkSize() int { return 1 + r.remaining/4 }

// takeFrom takes n values off a slice, in whose place a new one of so many comes.
func takeFrom[T any](from *[]T, n, size int) []T {
	if len(*from) < n {
		*from = make([]T, size)
	}
	taken := (*from)[:n:n]
	*from = (*from)[n:]
	return taken
}

// Pack returns the same map, laid out like one that Build made: as quick to read,
// whatever changes led to it. m keeps what it has. O(n), without a hash.
func (m Map[V]) Pack() Map[V] {
	if m.root == nil {
		return m
	}
	r := arena[V]{remaining: m.size}
	return Map[V]{root: r.copy(m.root), size: m.size}
}

// copy copies a subtree.
func (r *arena[V]) copy(n *node[V]) *node[V] {
	c := r.node(len(n.entries), len(n.kids))
	c.entryMap, c.kidMap = n.entryMap, n.kidMap
	c.entries = append(c.entries, n.entries...)
	for _, k := range n.kids {
		c.kids = append(c.kids, r.copy(k))
	}
	return c
}
