// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "iter"

// Change is a key whose leaves differ between two maps.
type Change[L Leaf] struct {
	Key      Digest
	Old, New L    // zero if the map lacks the key
	InOld    bool // the old map has the key
	InNew    bool // the new map has the key
}

// Diff yields the keys at which two maps differ, in key order. same reports
// whether two leaves with the same key are equal. Diff skips subtrees with
// equal digests, so it takes O(changes log n), whatever the history of the maps.
func Diff[L Leaf](old, new Map[L], same func(a, b L) bool) iter.Seq[Change[L]] {
	return func(yield func(Change[L]) bool) {
		d := differ[L]{same: same, yield: yield}
		d.nodes(old.root, new.root, 0)
	}
}

type differ[L Leaf] struct {
	same  func(a, b L) bool
	yield func(Change[L]) bool
}

// nodes compares two subtrees and reports whether to continue.
func (d *differ[L]) nodes(a, b *hnode[L], depth int) bool {
	switch {
	case a == nil && b == nil:
		return true
	case a == nil:
		return b.each(d.added)
	case b == nil:
		return a.each(d.removed)
	case a == b || a.sealed && b.sealed && a.digest == b.digest:
		return true
	}
	for slots := a.leafMap | a.kidMap | b.leafMap | b.kidMap; slots != 0; slots &= slots - 1 {
		if !d.slot(a, b, slots&-slots, depth) {
			return false
		}
	}
	return true
}

// slot compares one slot of two nodes: nothing, a leaf or a child.
func (d *differ[L]) slot(a, b *hnode[L], bit uint16, depth int) bool {
	inA, inB := a.leafMap&bit != 0, b.leafMap&bit != 0
	switch {
	case inA && inB:
		return d.leaves(a.leaves[rank(a.leafMap, bit)], b.leaves[rank(b.leafMap, bit)])
	case inA && b.kidMap&bit == 0:
		return d.removed(a.leaves[rank(a.leafMap, bit)])
	case inB && a.kidMap&bit == 0:
		return d.added(b.leaves[rank(b.leafMap, bit)])
	}
	return d.nodes(a.asNode(bit, depth), b.asNode(bit, depth), depth+1)
}

// asNode returns the content of a slot as a node of the next level: the child,
// a new node for the leaf, or nil.
func (n *hnode[L]) asNode(bit uint16, depth int) *hnode[L] {
	if n.leafMap&bit == 0 {
		return n.kid(bit)
	}
	i := rank(n.leafMap, bit)
	return &hnode[L]{leafMap: slot(n.leaves[i].Key(), depth+1), leaves: n.leaves[i : i+1]}
}

func (d *differ[L]) leaves(a, b L) bool {
	akey, bkey := a.Key(), b.Key()
	switch akey.Compare(bkey) {
	case -1:
		return d.removed(a) && d.added(b)
	case +1:
		return d.added(b) && d.removed(a)
	}
	if d.same(a, b) {
		return true
	}
	return d.yield(Change[L]{Key: bkey, Old: a, New: b, InOld: true, InNew: true})
}

func (d *differ[L]) added(l L) bool {
	return d.yield(Change[L]{Key: l.Key(), New: l, InNew: true})
}

func (d *differ[L]) removed(l L) bool {
	return d.yield(Change[L]{Key: l.Key(), Old: l, InOld: true})
}
