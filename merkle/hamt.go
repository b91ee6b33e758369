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

// mapFormat is the version of doc/format/map.md. Every node contains it.
const mapFormat = 1

// groupSize is the number of links in a group. A node with more entries links to
// groups of them, so that a proof contains 3 neighbours and 3 groups of a level
// rather than 15 neighbours.
const groupSize = 4

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
var emptyRoot = Sum(appendNodeHead(nil, 0, 0, 0))

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

// appendBlock appends the node's block, which has the digest of each entry, a child or
// a leaf. It passes the blocks of groups to emit, which may be nil. All children must
// be sealed.
func (n *hnode[L]) appendBlock(dst []byte, emit func(Digest, []byte) error) ([]byte, error) {
	var entries [slotCount]Digest
	list, dst := n.entries(entries[:0], dst)
	return appendNode(dst, n.kidMap, n.leafMap, list, emit)
}

// entries appends the digests of the node's entries, by slot. It returns buf, possibly
// grown, with the same content.
func (n *hnode[L]) entries(list []Digest, buf []byte) ([]Digest, []byte) {
	leaves, kids := n.leaves, n.kids
	for slots := n.leafMap | n.kidMap; slots != 0; slots &= slots - 1 {
		if n.leafMap&(slots&-slots) != 0 {
			var d Digest
			d, buf = leafDigest(leaves[0], buf)
			list, leaves = append(list, d), leaves[1:]
		} else {
			list, kids = append(list, kids[0].digest), kids[1:]
		}
	}
	return list, buf
}

// leafDigest returns the digest of a leaf's block and the buffer, possibly grown.
func leafDigest[L Leaf](l L, buf []byte) (Digest, []byte) {
	n := len(buf)
	buf = l.AppendCanonical(buf)
	var block [leafSize]byte
	appendLeaf(block[:0], l.Key(), Sum(buf[n:]))
	return Sum(block[:]), buf[:n]
}

// appendLeaf appends the block of a leaf, [key, link to the value], which does not reveal the value.
func appendLeaf(dst []byte, key, value Digest) []byte {
	return AppendLink(append(append(dst, leafHeader...), key[:]...), value)
}

// leafHeader begins the block of a leaf: the heads of a list of two values and of a byte
// string of 32 bytes.
const leafHeader = "\x82\x58\x20"

// leafSize is the size of the block of a leaf in bytes.
const leafSize = len(leafHeader) + DigestSize + linkSize

// appendNode appends the block {f, kids, leaves, entries} of a node with these entries,
// which it overwrites.
func appendNode(dst []byte, kids, leaves uint16, entries []Digest, emit func(Digest, []byte) error) ([]byte, error) {
	if len(entries) > groupSize {
		at, top := len(dst), 0
		for i := 0; i < len(entries); i += groupSize {
			run := entries[i:min(i+groupSize, len(entries))]
			dst = appendLinks(AppendList(dst, len(run)), run)
			d, err := seal(dst[at:], emit)
			if err != nil {
				return dst, err
			}
			dst, entries[top] = dst[:at], d // overwrites an entry that is already in a group
			top++
		}
		entries = entries[:top]
	}
	return appendLinks(appendNodeHead(dst, kids, leaves, len(entries)), entries), nil
}

// appendNodeHead appends the block of a node up to its n links.
func appendNodeHead(dst []byte, kids, leaves uint16, n int) []byte {
	dst = AppendUint(AppendText(AppendMap(dst, 4), "f"), mapFormat)
	dst = AppendUint(AppendText(dst, "kids"), uint64(kids))
	dst = AppendUint(AppendText(dst, "leaves"), uint64(leaves))
	return AppendList(AppendText(dst, "entries"), n)
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
	buf, _ = n.appendBlock(buf[:0], nil) // no emit, no error
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
