// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "fmt"

// Proof proves that a map with a known root has a certain leaf at a key, or
// none. It consists of the blocks on the path from the root to the position of
// the key: about 1 KiB and one or two leaves for each of log16 n levels.
type Proof [][]byte

// Prove returns a proof for a key, whether or not the map has it, in O(log n).
// The caller owns the proof.
func (m Map[L]) Prove(key Digest) Proof {
	n := m.root
	if n == nil {
		n = &hnode[L]{}
	}
	var p Proof
	for depth := 0; n != nil; depth++ {
		p = append(p, n.appendBlock(nil))
		n = n.kid(slot(key, depth))
	}
	return p
}

// VerifyProof checks p against the root of a map. It returns the encoded leaf
// at key and true, or nil and false if the map has no such key. The value
// points into p. VerifyProof rejects every p that Prove cannot return: the
// error is ErrProof or, for a block that has the right digest but is not a
// block of a map, ErrCanonical, ErrKind, ErrFormat or ErrShape.
func VerifyProof(root, key Digest, p Proof) (value []byte, ok bool, err error) {
	want := root
	for depth, block := range p {
		if len(block) > MaxBlock || Sum(block) != want {
			return nil, false, fmt.Errorf("verify proof: block %d is not %s: %w", depth, want, ErrProof)
		}
		entries, err := readBlock(block, key, depth)
		if err != nil {
			return nil, false, fmt.Errorf("verify proof: block %d: %w", depth, err)
		}
		e := find(entries, slot(key, depth))
		if e != nil && e.value == nil {
			want = e.link
			continue
		}
		if depth+1 < len(p) {
			return nil, false, fmt.Errorf("verify proof: %d blocks too many: %w", len(p)-depth-1, ErrProof)
		}
		if e == nil || e.path != key {
			return nil, false, nil
		}
		return e.value, true, nil
	}
	return nil, false, fmt.Errorf("verify proof: block %d is missing: %w", len(p), ErrProof)
}

func find(entries []blockEntry, bit uint16) *blockEntry {
	for i := range entries {
		if entries[i].bit == bit {
			return &entries[i]
		}
	}
	return nil
}
