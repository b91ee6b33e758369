// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import "slices"

// writer changes a tree: it modifies the nodes that its owner created and
// copies all others on the path.
type writer[V any] struct {
	owner   *owner
	changed bool // set added a key, or remove deleted one
}

func (w *writer[V]) set(n *node[V], h uint64, shift uint, key string, v V) *node[V] {
	if shift >= hashBits {
		i, found := n.search(key)
		return w.put(n, 0, i, found, entry[V]{key, v})
	}
	bit := slot(h, shift)
	switch {
	case n.kidMap&bit != 0:
		i := rank(n.kidMap, bit)
		kid := w.set(n.kids[i], h, shift+levelBits, key, v)
		if kid == n.kids[i] {
			return n
		}
		n = w.mutable(n)
		n.kids[i] = kid
		return n
	case n.entryMap&bit == 0:
		return w.put(n, bit, rank(n.entryMap, bit), false, entry[V]{key, v})
	}
	i := rank(n.entryMap, bit)
	old := n.entries[i]
	if old.key == key {
		return w.put(n, bit, i, true, entry[V]{key, v})
	}
	w.changed = true
	kid := w.pair(old, hash(old.key), entry[V]{key, v}, h, shift+levelBits)
	n = w.mutable(n)
	n.entryMap ^= bit
	n.entries = slices.Delete(n.entries, i, i+1)
	n.kids = insert(n.kids, rank(n.kidMap, bit), kid)
	n.kidMap |= bit
	return n
}

// put stores an entry at position i of a node. bit is zero below the last hash
// bit.
func (w *writer[V]) put(n *node[V], bit uint64, i int, found bool, e entry[V]) *node[V] {
	n = w.mutable(n)
	if found {
		// Keep the existing key string: older versions reference its bytes.
		n.entries[i].value = e.value
		return n
	}
	w.changed = true
	n.entryMap |= bit
	n.entries = insert(n.entries, i, e)
	return n
}

// pair returns a subtree of two different keys.
func (w *writer[V]) pair(a entry[V], ah uint64, b entry[V], bh uint64, shift uint) *node[V] {
	n := &node[V]{owner: w.owner}
	if shift >= hashBits {
		if b.key < a.key {
			a, b = b, a
		}
		n.entries = []entry[V]{a, b}
		return n
	}
	abit, bbit := slot(ah, shift), slot(bh, shift)
	if abit == bbit {
		n.kidMap = abit
		n.kids = []*node[V]{w.pair(a, ah, b, bh, shift+levelBits)}
		return n
	}
	if bbit < abit {
		a, b = b, a
	}
	n.entryMap = abit | bbit
	n.entries = []entry[V]{a, b}
	return n
}

// remove returns the tree without key and sets changed if the key was there.
func (w *writer[V]) remove(n *node[V], h uint64, shift uint, key string) *node[V] {
	if shift >= hashBits {
		i, found := n.search(key)
		if !found {
			return n
		}
		return w.drop(n, 0, i)
	}
	bit := slot(h, shift)
	if n.entryMap&bit != 0 {
		i := rank(n.entryMap, bit)
		if n.entries[i].key != key {
			return n
		}
		return w.drop(n, bit, i)
	}
	if n.kidMap&bit == 0 {
		return n
	}
	i := rank(n.kidMap, bit)
	kid := w.remove(n.kids[i], h, shift+levelBits, key)
	if !w.changed {
		return n
	}
	if !kid.single() {
		if kid != n.kids[i] {
			n = w.mutable(n)
			n.kids[i] = kid
		}
		return n
	}
	n = w.mutable(n)
	n.kidMap ^= bit
	n.kids = slices.Delete(n.kids, i, i+1)
	n.entries = insert(n.entries, rank(n.entryMap, bit), kid.entries[0])
	n.entryMap |= bit
	return n
}

func (w *writer[V]) drop(n *node[V], bit uint64, i int) *node[V] {
	w.changed = true
	n = w.mutable(n)
	n.entryMap ^= bit
	n.entries = slices.Delete(n.entries, i, i+1)
	return n
}

// mutable returns a node that the writer may modify, with its lists.
func (w *writer[V]) mutable(n *node[V]) *node[V] {
	if n.owner == w.owner {
		return n
	}
	c := *n
	c.owner, c.entries, c.kids = w.owner, slices.Clone(n.entries), slices.Clone(n.kids)
	return &c
}

// insert grows a list by a third rather than doubling it: a node holds at most 64
// elements, and its spare capacity is never used once it is frozen.
func insert[T any](list []T, i int, v T) []T {
	if n := len(list); n == cap(list) {
		list = append(make([]T, 0, n+1+n/3), list...)
	}
	return slices.Insert(list, i, v)
}
