// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// keyedLeaf is a leaf with the first eight bytes of its key, which decide
// nearly every comparison.
type keyedLeaf[L Leaf] struct {
	prefix uint64
	order  int // index in the input
	leaf   L
}

// Build returns the map of leaves, which may be in any order; of several leaves
// with the same key the last one wins. The result equals the one of an Editor on
// an empty map. It takes O(n log n) and uses all processors.
func Build[L Leaf](given []L) Map[L] {
	if len(given) == 0 {
		return Map[L]{}
	}
	var slots [slotCount][]keyedLeaf[L] // by slot of the root
	for i, l := range given {
		key := l.Key()
		s := key[0] >> slotBits
		if slots[s] == nil {
			slots[s] = make([]keyedLeaf[L], 0, len(given)/slotCount*9/8+1)
		}
		slots[s] = append(slots[s], keyedLeaf[L]{binary.BigEndian.Uint64(key[:]), i, l})
	}
	kids := subtrees(&slots, min(runtime.GOMAXPROCS(0), 1+len(given)/minLeavesPerWorker))
	size := 0
	for _, leaves := range slots {
		size += len(leaves)
	}
	root := assemble(&slots, func(s int) *hnode[L] { return kids[s] })
	root.seal(nil)
	return Map[L]{root: root, size: size}
}

// minLeavesPerWorker is the number of leaves that justifies another goroutine.
const minLeavesPerWorker = 2048

// subtrees sorts and deduplicates the leaves of each slot of the root, and
// builds the children of the root.
func subtrees[L Leaf](slots *[slotCount][]keyedLeaf[L], processors int) (kids [slotCount]*hnode[L]) {
	var next atomic.Int32
	var wg sync.WaitGroup
	for range processors {
		wg.Go(func() {
			var buf []byte
			for s := next.Add(1) - 1; s < slotCount; s = next.Add(1) - 1 {
				if slots[s] = sortUnique(slots[s]); len(slots[s]) > 1 {
					kids[s] = buildNode(slots[s], 1)
					buf = kids[s].seal(buf)
				}
			}
		})
	}
	wg.Wait()
	return kids
}

// sortUnique sorts leaves by key and removes duplicates; the last one wins.
func sortUnique[L Leaf](leaves []keyedLeaf[L]) []keyedLeaf[L] {
	slices.SortFunc(leaves, func(a, b keyedLeaf[L]) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return cmp.Or(a.leaf.Key().Compare(b.leaf.Key()), cmp.Compare(a.order, b.order))
	})
	unique := leaves[:0]
	for i, l := range leaves {
		if i+1 < len(leaves) && l.prefix == leaves[i+1].prefix && l.leaf.Key() == leaves[i+1].leaf.Key() {
			continue
		}
		unique = append(unique, l)
	}
	return unique
}

// buildNode builds a node from leaves in key order, with different keys that
// have the same first depth digits.
func buildNode[L Leaf](leaves []keyedLeaf[L], depth int) *hnode[L] {
	var slots [slotCount][]keyedLeaf[L]
	for s := range slots {
		n := 0
		for n < len(leaves) && leaves[n].slot(depth) == 1<<s {
			n++
		}
		slots[s], leaves = leaves[:n], leaves[n:]
	}
	return assemble(&slots, func(s int) *hnode[L] { return buildNode(slots[s], depth+1) })
}

// assemble returns the node of leaves by slot. kid returns the child in a slot with
// several.
func assemble[L Leaf](slots *[slotCount][]keyedLeaf[L], kid func(s int) *hnode[L]) *hnode[L] {
	n := &hnode[L]{}
	for s, leaves := range slots {
		switch len(leaves) {
		case 0:
		case 1:
			n.leafMap |= 1 << s
		default:
			n.kidMap |= 1 << s
		}
	}
	n.leaves = make([]L, 0, bits.OnesCount16(n.leafMap))
	n.kids = make([]*hnode[L], 0, bits.OnesCount16(n.kidMap))
	for s, leaves := range slots {
		switch len(leaves) {
		case 0:
		case 1:
			n.leaves = append(n.leaves, leaves[0].leaf)
		default:
			n.kids = append(n.kids, kid(s))
		}
	}
	return n
}

// slot returns the bit of the slot of the leaf's key. It uses the prefix where
// that is long enough.
func (p *keyedLeaf[L]) slot(depth int) uint16 {
	if depth < 64/slotBits {
		return 1 << (p.prefix >> (64 - slotBits*(depth+1)) & (slotCount - 1))
	}
	return slot(p.leaf.Key(), depth)
}
