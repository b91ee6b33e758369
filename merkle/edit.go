// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"slices"
	"sync"
)

// Editor collects changes to a Map. It must be used by one goroutine only.
type Editor[L Leaf] struct {
	root *hnode[L]
	size int
}

// Set stores l at its key and replaces any leaf there. An editor copies each
// node on the path at most once.
func (e *Editor[L]) Set(l L) {
	if e.root == nil {
		e.root = &hnode[L]{}
	}
	var added bool
	e.root, added = e.root.set(l, l.Key(), 0)
	if added {
		e.size++
	}
}

// Delete removes the leaf with the given key, if there is one. An editor copies
// each node on the path at most once.
func (e *Editor[L]) Delete(key Digest) {
	if e.root == nil {
		return
	}
	root, removed := e.root.remove(key, 0)
	if !removed {
		return
	}
	e.root, e.size = root, e.size-1
	if e.size == 0 {
		e.root = nil
	}
}

// Map returns the edited map. It hashes only the nodes that changed: O(changes
// log n). The editor remains usable; later edits do not affect the returned map.
func (e *Editor[L]) Map() Map[L] {
	if e.root != nil {
		buf := bufferPool.Get().(*[]byte)
		*buf = e.root.seal(*buf)
		bufferPool.Put(buf)
	}
	return Map[L]{root: e.root, size: e.size}
}

// bufferPool holds buffers for encoded blocks, which are hashed and discarded.
// Without it, sealing the nodes on the path of one changed leaf would produce
// more garbage than the nodes themselves.
var bufferPool = sync.Pool{New: func() any { return new([]byte) }}

func (n *hnode[L]) set(l L, key Digest, depth int) (_ *hnode[L], added bool) {
	bit := slot(key, depth)
	if n.kidMap&bit != 0 {
		i := rank(n.kidMap, bit)
		kid, added := n.kids[i].set(l, key, depth+1)
		n = n.mutable()
		n.kids[i] = kid
		return n, added
	}
	i := rank(n.leafMap, bit)
	n = n.mutable()
	if n.leafMap&bit == 0 {
		n.leafMap |= bit
		n.leaves = insert(n.leaves, i, l)
		return n, true
	}
	old := n.leaves[i]
	oldKey := old.Key()
	if oldKey == key {
		n.leaves[i] = l
		return n, false
	}
	n.leafMap ^= bit
	n.leaves = slices.Delete(n.leaves, i, i+1)
	n.kids = insert(n.kids, rank(n.kidMap, bit), pair(old, oldKey, l, key, depth+1))
	n.kidMap |= bit
	return n, true
}

// pair returns a subtree of two leaves with different keys.
func pair[L Leaf](a L, akey Digest, b L, bkey Digest, depth int) *hnode[L] {
	abit, bbit := slot(akey, depth), slot(bkey, depth)
	if abit == bbit {
		return &hnode[L]{kidMap: abit, kids: []*hnode[L]{pair(a, akey, b, bkey, depth+1)}}
	}
	if bbit < abit {
		a, b = b, a
	}
	return &hnode[L]{leafMap: abit | bbit, leaves: []L{a, b}}
}

func (n *hnode[L]) remove(key Digest, depth int) (_ *hnode[L], removed bool) {
	bit := slot(key, depth)
	if n.leafMap&bit != 0 {
		i := rank(n.leafMap, bit)
		if n.leaves[i].Key() != key {
			return n, false
		}
		n = n.mutable()
		n.leafMap ^= bit
		n.leaves = slices.Delete(n.leaves, i, i+1)
		return n, true
	}
	if n.kidMap&bit == 0 {
		return n, false
	}
	i := rank(n.kidMap, bit)
	kid, removed := n.kids[i].remove(key, depth+1)
	if !removed {
		return n, false
	}
	n = n.mutable()
	if len(kid.leaves) != 1 || len(kid.kids) > 0 { // a node with one leaf and nothing else is replaced by it
		n.kids[i] = kid
		return n, true
	}
	n.kidMap ^= bit
	n.kids = slices.Delete(n.kids, i, i+1)
	n.leaves = insert(n.leaves, rank(n.leafMap, bit), kid.leaves[0])
	n.leafMap |= bit
	return n, true
}

// insert grows a list by one element and a quarter rather than a half: a node
// holds at most 16 elements, and its spare capacity is never used once it is
// sealed.
func insert[T any](list []T, i int, v T) []T {
	n := len(list)
	if n == cap(list) {
		grown := make([]T, n, n+1+n/4)
		copy(grown, list)
		list = grown
	}
	list = list[:n+1]
	copy(list[i+1:], list[i:n])
	list[i] = v
	return list
}
