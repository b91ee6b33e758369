// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "iter"

// Leaf is what a Map holds. Both methods must give the same result for as long
// as the leaf is in a map, and be safe for concurrent use.
type Leaf interface {
	// Key returns where the leaf stands. It must be a digest of what
	// identifies the leaf, because the tree is balanced only over keys that
	// nobody can choose.
	Key() Digest
	// AppendCanonical appends the leaf's value in canonical encoding: one
	// value, at most MaxLeaf bytes, that includes what Key is the digest of.
	AppendCanonical(dst []byte) []byte
}

// MaxLeaf is the largest encoded leaf in bytes: a block holds up to 16 leaves
// and must stay within MaxBlock.
const MaxLeaf = 15 << 10

// Map is an immutable set of leaves by key with a digest over all of it. The
// zero Map is empty and ready to use; copying a Map clones it in O(1), and
// maps made from one another share what is equal. A Map is safe for any number
// of goroutines.
type Map[L Leaf] struct {
	root *hnode[L]
	size int
}

// Len returns the number of leaves, in O(1).
func (m Map[L]) Len() int { return m.size }

// Get returns the leaf with the given key and whether there is one. For n
// leaves it takes about log16 n steps and does not allocate.
func (m Map[L]) Get(key Digest) (L, bool) {
	n := m.root
	for depth := 0; n != nil; depth++ {
		bit := slot(key, depth)
		if n.leafMap&bit != 0 {
			if l := n.leaves[rank(n.leafMap, bit)]; l.Key() == key {
				return l, true
			}
			break
		}
		n = n.kid(bit)
	}
	var zero L
	return zero, false
}

// Root returns the digest of the map, in O(1). It is a function of the leaves'
// keys and encodings alone; that of an empty map is the digest of the block of
// an empty node.
func (m Map[L]) Root() Digest {
	if m.root == nil {
		return emptyRoot
	}
	return m.root.digest
}

// All yields the leaves in the order of their keys.
func (m Map[L]) All() iter.Seq[L] {
	return func(yield func(L) bool) {
		if m.root != nil {
			m.root.each(yield)
		}
	}
}

// Edit begins a batch of changes on top of m, which keeps what it has. It
// costs O(1).
func (m Map[L]) Edit() *Editor[L] {
	return &Editor[L]{root: m.root, size: m.size}
}
