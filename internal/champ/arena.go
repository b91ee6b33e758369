// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

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
