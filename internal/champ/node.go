// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

const (
	levelBits = 6                // hash bits used by one level
	levelMask = 1<<levelBits - 1 // selects a slot of a node
	hashBits  = 64               // at this depth and below, keys have equal hashes
)

var seed = maphash.MakeSeed()

// hashMask has all bits set. Tests clear some to make keys collide.
var hashMask = ^uint64(0)

func hash(key string) uint64 { return maphash.String(seed, key) & hashMask }

type entry[V any] struct {
	key   string
	value V
}

// node is an inner node of the tree or, at depth hashBits or more, a list of
// the entries with equal hashes.
type node[V any] struct {
	entryMap uint64 // slots that hold an entry
	kidMap   uint64 // slots that hold a child
	entries  []entry[V]
	kids     []*node[V]
	owner    *owner // the editor that may modify this node; nil or closed for a frozen one
}

// owner identifies the nodes that an open editor has created. It is not empty
// because pointers to distinct zero-size variables may be equal.
type owner struct{ _ byte }

func slot(h uint64, shift uint) uint64 { return 1 << (h >> shift & levelMask) }

// rank returns the index in the list of the element for bit.
func rank(bitmap, bit uint64) int { return bits.OnesCount64(bitmap & (bit - 1)) }

func (n *node[V]) get(h uint64, key string) (v V, ok bool) {
	for shift := uint(0); shift < hashBits; shift += levelBits {
		bit := slot(h, shift)
		if n.entryMap&bit != 0 {
			if e := &n.entries[rank(n.entryMap, bit)]; e.key == key {
				return e.value, true
			}
			return v, false
		}
		if n.kidMap&bit == 0 {
			return v, false
		}
		n = n.kids[rank(n.kidMap, bit)]
	}
	if i, found := n.search(key); found {
		return n.entries[i].value, true
	}
	return v, false
}

// search finds a key in a node below the last hash bit.
func (n *node[V]) search(key string) (int, bool) {
	return slices.BinarySearchFunc(n.entries, key, func(e entry[V], k string) int {
		return strings.Compare(e.key, k)
	})
}

// single reports whether a node holds exactly one entry and no child.
// Unless it is the root, such a node is replaced by its entry.
func (n *node[V]) single() bool { return len(n.entries) == 1 && len(n.kids) == 0 }

// each yields the entries of a subtree and reports whether to continue.
func (n *node[V]) each(yield func(*entry[V]) bool) bool {
	for i := range n.entries {
		if !yield(&n.entries[i]) {
			return false
		}
	}
	for _, k := range n.kids {
		if !k.each(yield) {
			return false
		}
	}
	return true
}
