// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"math/bits"
	"slices"
)

// A Map is a tree of nodes with 16 slots. The hex digit of a key at a node's
// depth selects the slot. A slot is empty, or holds a leaf, or holds a child
// with at least two leaves, so the tree is a function of the keys. (32 slots
// were measured slower: a change re-hashes all links of a node on each level.)
const (
	slotBits  = 4
	slotCount = 1 << slotBits
	maxLevels = 8 * DigestSize / slotBits
)

// mapFormat is the version of doc/format/map.md. Every block contains it.
const mapFormat = 0

// hnode is a node of the tree. A sealed node never changes; an unsealed one
// belongs to the editor that created it.
type hnode[L Leaf] struct {
	digest  Digest // of the block, if sealed
	leafMap uint16 // slots that hold a leaf
	kidMap  uint16 // slots that hold a child
	sealed  bool
	leaves  []L
	kids    []*hnode[L]
}

// emptyRoot is the digest of the block of an empty node.
var emptyRoot = Sum((&hnode[Leaf]{}).appendBlock(nil))

// slot returns the bit of the slot that key selects at a depth.
func slot(key Digest, depth int) uint16 {
	digit := key[depth/2]
	if depth%2 == 0 {
		digit >>= slotBits
	}
	return 1 << (digit & (slotCount - 1))
}

// rank returns the index in the list of the element for bit.
func rank(bitmap, bit uint16) int { return bits.OnesCount16(bitmap & (bit - 1)) }

// kid returns the child in a slot, or nil.
func (n *hnode[L]) kid(bit uint16) *hnode[L] {
	if n.kidMap&bit == 0 {
		return nil
	}
	return n.kids[rank(n.kidMap, bit)]
}

// single reports whether a node holds exactly one leaf and nothing else. Unless
// it is the root, such a node is replaced by its leaf.
func (n *hnode[L]) single() bool { return len(n.leaves) == 1 && len(n.kids) == 0 }

// each yields the leaves of a subtree in key order and reports whether to
// continue.
func (n *hnode[L]) each(yield func(L) bool) bool {
	leaves, kids := n.leaves, n.kids
	for slots := n.leafMap | n.kidMap; slots != 0; slots &= slots - 1 {
		if n.leafMap&(slots&-slots) != 0 {
			if !yield(leaves[0]) {
				return false
			}
			leaves = leaves[1:]
		} else {
			if !kids[0].each(yield) {
				return false
			}
			kids = kids[1:]
		}
	}
	return true
}

// appendBlock appends the node's block: {f, bitmap, entries}, where an entry is
// the link to a child or the list [key, value] of a leaf. All children must be
// sealed.
func (n *hnode[L]) appendBlock(dst []byte) []byte {
	slots := n.leafMap | n.kidMap
	dst = AppendMap(dst, 3)
	dst = AppendText(dst, "f")
	dst = AppendUint(dst, mapFormat)
	dst = AppendText(dst, "bitmap")
	dst = AppendUint(dst, uint64(slots))
	dst = AppendText(dst, "entries")
	dst = AppendList(dst, bits.OnesCount16(slots))
	leaves, kids := n.leaves, n.kids
	for ; slots != 0; slots &= slots - 1 {
		if n.leafMap&(slots&-slots) != 0 {
			key := leaves[0].Key()
			dst = AppendBytes(AppendList(dst, 2), key[:])
			dst = leaves[0].AppendCanonical(dst)
			leaves = leaves[1:]
		} else {
			dst = AppendLink(dst, kids[0].digest)
			kids = kids[1:]
		}
	}
	return dst
}

// seal computes the missing digests of a subtree and freezes it. It returns
// buf, possibly grown, for reuse.
func (n *hnode[L]) seal(buf []byte) []byte {
	if n.sealed {
		return buf
	}
	for _, k := range n.kids {
		buf = k.seal(buf)
	}
	buf = n.appendBlock(buf[:0])
	n.digest, n.sealed = Sum(buf), true
	return buf
}

// mutable returns a node that the editor may modify: n itself if it is
// unsealed, else a copy.
func (n *hnode[L]) mutable() *hnode[L] {
	if !n.sealed {
		return n
	}
	return &hnode[L]{
		leafMap: n.leafMap, kidMap: n.kidMap,
		leaves: slices.Clone(n.leaves), kids: slices.Clone(n.kids),
	}
}
