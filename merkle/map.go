// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "iter"

// Leaf is an element of a Map. While a leaf is in a map, both methods must
// always return the same result and be safe for concurrent use.
type Leaf interface {
	// Key returns the key of the leaf. It must be a digest of the leaf's
	// identity: the tree is balanced only if keys cannot be chosen.
	Key() Digest
	// AppendCanonical appends the leaf's value in canonical encoding: one value
	// of at most MaxLeaf bytes that includes the data whose
	// digest Key is.
	AppendCanonical(dst []byte) []byte
}

// MaxLeaf is the maximum size of an encoded leaf in bytes.
const MaxLeaf = 15 << 10

// Map is an immutable set of leaves by key with a digest over all of them. The
// zero Map is empty and ready to use. Copying a Map clones it in O(1), and maps
// derived from one another share their common nodes. A Map is safe for
// concurrent use.
type Map[L Leaf] struct {
	root *hnode[L]
	size int
}

// Len returns the number of leaves, in O(1).
func (m Map[L]) Len() int { return m.size }

// Get returns the leaf with the given key and whether it exists. It takes about
// log16 n steps for n leaves and does not allocate.
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

// Root returns the digest of the map, in O(1). It depends only on the keys and
// encodings of the leaves. The root of an empty map is the digest of the block
// of an empty node.
func (m Map[L]) Root() Digest {
	if m.root == nil {
		return emptyRoot
	}
	return m.root.digest
}

// All yields the leaves in key order.
func (m Map[L]) All() iter.Seq[L] {
	return func(yield func(L) bool) {
		if m.root != nil {
			m.root.each(yield)
		}
	}
}

// Edit starts a batch of changes based on m, which stays unchanged. It takes
// O(1).
func (m Map[L]) Edit() *Editor[L] {
	return &Editor[L]{root: m.root, size: m.size}
}
