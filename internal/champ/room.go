// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

// room is where the nodes of a map that is made at once stand, and their lists:
// side by side, so that a look-up touches few pages and a large map is few
// allocations. What is cut from one slice is freed together.
type room[V any] struct {
	left    int // entries that are still to come
	nodes   []node[V]
	entries []entry[V]
	kids    []*node[V]
}

// node returns an empty node with lists of these capacities.
func (r *room[V]) node(entries, kids int) *node[V] {
	n := &cut(&r.nodes, 1, r.more())[0]
	if entries > 0 {
		n.entries = cut(&r.entries, entries, max(entries, r.left))[:0]
		r.left -= entries
	}
	if kids > 0 {
		n.kids = cut(&r.kids, kids, max(kids, r.more()))[:0]
	}
	return n
}

// more is how many nodes, and so how many children, are made room for at a time:
// fewer than there are ever to be for the entries that are still to come, but not
// many times fewer.
func (r *room[V]) more() int { return 1 + r.left/4 }

// cut takes n values off a slice, in whose place a new one of so many comes.
func cut[T any](from *[]T, n, most int) []T {
	if len(*from) < n {
		*from = make([]T, most)
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
	r := room[V]{left: m.size}
	return Map[V]{root: r.copy(m.root), size: m.size}
}

// copy copies a subtree.
func (r *room[V]) copy(n *node[V]) *node[V] {
	c := r.node(len(n.entries), len(n.kids))
	c.entryMap, c.kidMap = n.entryMap, n.kidMap
	c.entries = append(c.entries, n.entries...)
	for _, k := range n.kids {
		c.kids = append(c.kids, r.copy(k))
	}
	return c
}
