// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

// Proof proves that a map with a known root has a certain value at a key, or none. It
// contains digests of neighbouring leaves, never their values. Its size is about 200 bytes
// for each of log16 n levels. Package proof verifies it.
type Proof struct {
	Steps []Step // the nodes on the path of the key, from the root
	Other *Other // the leaf of another key in the slot where the path ends; nil for none
}

// Step is a node on the path of a key.
type Step struct {
	Kids, Leaves uint16   // the slots with a child, and the slots with a leaf
	Beside       []Digest // its links off the path: first in the key's group, then groups
}

// Other is a leaf with another key than the requested one.
type Other struct{ Key, Value Digest }

// Prove returns a proof for a key, whether or not the map has it, in O(log n).
// The caller owns the proof.
func (m Map[L]) Prove(key Digest) Proof {
	n := m.root
	if n == nil {
		n = &hnode[L]{}
	}
	var p Proof
	for depth := 0; n != nil; depth++ {
		bit := slot(key, depth)
		entries, _ := n.entries(nil, nil)
		p.Steps = append(p.Steps, Step{n.kidMap, n.leafMap, beside(n.kidMap|n.leafMap, bit, entries)})
		if n.leafMap&bit != 0 {
			if l := n.leaves[rank(n.leafMap, bit)]; l.Key() != key {
				p.Other = &Other{l.Key(), Sum(l.AppendCanonical(nil))}
			}
		}
		n = n.kid(bit)
	}
	return p
}

// beside returns the links of a node with these entries that are off the path of bit.
func beside(slots, bit uint16, entries []Digest) []Digest {
	at, on := rank(slots, bit), slots&bit != 0
	var list []Digest
	if len(entries) <= groupSize {
		for i, d := range entries {
			if i != at || !on {
				list = append(list, d)
			}
		}
		return list
	}
	var groups []Digest
	for i := 0; i < len(entries); i += groupSize {
		run := entries[i:min(i+groupSize, len(entries))]
		if on && at/groupSize == i/groupSize {
			list = append(append(list, run[:at-i]...), run[at-i+1:]...)
		} else {
			groups = append(groups, Sum(appendLinks(AppendList(nil, len(run)), run)))
		}
	}
	return append(list, groups...)
}
