// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"fmt"
	"math/bits"
)

// Proof proves that a map with a known root has a certain value at a key, or none. It
// shows digests of the leaves beside that key, never their values. It has about 200 bytes
// for each of log16 n levels.
type Proof struct {
	Steps []Step // the nodes on the way of the key, from the root
	Other *Other // the leaf of another key in the slot where the way ends; nil for none
}

// Step is a node on the way of a key.
type Step struct {
	Kids, Leaves uint16   // the slots that hold a child, and those that hold a leaf
	Beside       []Digest // its links off the way: those of the key's group first, then groups
}

// Other is a leaf of another key than the one asked for.
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

// beside returns the links of a node with these entries that are off the way of bit.
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

// digest returns the digest of a step's node, given the digest on the way of bit. It
// returns false if the step has another number of links than its bitmaps say.
func (s *Step) digest(bit uint16, way Digest) (Digest, bool) {
	slots := s.Kids | s.Leaves
	at, on, count := rank(slots, bit), slots&bit != 0, bits.OnesCount16(slots)
	links := s.Beside
	take := func(n, way int, d Digest) ([]Digest, bool) { // n links, of which d is one
		var list [slotCount]Digest
		for i := range n {
			if i == way {
				list[i] = d
				continue
			}
			if len(links) == 0 {
				return nil, false
			}
			list[i], links = links[0], links[1:]
		}
		return list[:n], true
	}
	if !on {
		at = -1
	}
	if count > groupSize {
		if on {
			run, ok := take(min(groupSize, count-at/groupSize*groupSize), at%groupSize, way)
			if !ok {
				return Digest{}, false
			}
			way = Sum(appendLinks(AppendList(nil, len(run)), run))
			at /= groupSize
		}
		count = topOf(count)
	}
	top, ok := take(count, at, way)
	if !ok || len(links) > 0 {
		return Digest{}, false
	}
	return Sum(appendLinks(appendNodeHead(nil, s.Kids, s.Leaves, count), top)), true
}

// VerifyProof checks that a map with this root has a leaf with this key and encoded
// value, or, if value is nil, that it has no leaf with this key. It returns ErrProof
// unless p is what Prove returns for them, and ErrShape for nodes that form no map.
func VerifyProof(root, key Digest, value []byte, p Proof) error {
	last := len(p.Steps) - 1
	if last < 0 || last >= maxLevels {
		return fmt.Errorf("verify proof: %d nodes: %w", last+1, ErrProof)
	}
	way, err := p.end(key, value)
	if err != nil {
		return err
	}
	for depth := last; depth >= 0; depth-- {
		s, bit := &p.Steps[depth], slot(key, depth)
		if err := checkShape(s.Kids, s.Leaves, depth); err != nil {
			return fmt.Errorf("verify proof: node %d: %w", depth, err)
		}
		d, ok := s.digest(bit, way)
		if !ok || depth < last && s.Kids&bit == 0 {
			return fmt.Errorf("verify proof: node %d: %w", depth, ErrProof)
		}
		way = d
	}
	if way != root {
		return fmt.Errorf("verify proof: it is of root %s, not of %s: %w", way, root, ErrProof)
	}
	return nil
}

// end returns the digest in the slot where the way of a key ends, zero for none.
func (p *Proof) end(key Digest, value []byte) (Digest, error) {
	depth := len(p.Steps) - 1
	s, bit := &p.Steps[depth], slot(key, depth)
	leaf := s.Leaves&bit != 0
	switch {
	case value != nil && leaf && p.Other == nil:
		return Sum(appendLeaf(nil, key, Sum(value))), nil
	case value == nil && leaf && p.Other != nil && p.Other.Key != key && within(p.Other.Key, key, depth, bit):
		return Sum(appendLeaf(nil, p.Other.Key, p.Other.Value)), nil
	case value == nil && p.Other == nil && (s.Kids|s.Leaves)&bit == 0:
		return Digest{}, nil
	}
	return Digest{}, fmt.Errorf("verify proof: the way of the key does not end so: %w", ErrProof)
}
