// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"fmt"
	"math/bits"
)

// Blocks passes every block of the map to emit: each block before the one that
// links to it, the root last. emit must copy what it retains; its error ends
// the walk and is returned unchanged. A leaf larger than MaxLeaf is
// ErrTooLarge. Blocks takes O(n).
func (m Map[L]) Blocks(emit func(Digest, []byte) error) error {
	root := m.root
	if root == nil {
		root = &hnode[L]{digest: emptyRoot}
	}
	_, err := root.emit(nil, emit)
	return err
}

// IsMap reports whether a block begins like the node of a map, in any format.
func IsMap(block []byte) bool {
	r := NewReader(block)
	r.FixedMap(4)
	r.Key("f")
	r.Uint()
	r.Key("kids")
	return r.Err() == nil
}

// emitLeaf passes the value of a leaf and its block to emit. buf is overwritten.
func emitLeaf[L Leaf](buf []byte, l L, emit func(Digest, []byte) error) error {
	if buf = l.AppendCanonical(buf[:0]); len(buf) > MaxLeaf {
		return fmt.Errorf("map: leaf %s: %d bytes, more than %d: %w", l.Key(), len(buf), MaxLeaf, ErrTooLarge)
	}
	value := Sum(buf)
	if err := emit(value, buf); err != nil {
		return err
	}
	buf = appendLeaf(buf[:0], l.Key(), value)
	return emit(Sum(buf), buf)
}

func (n *hnode[L]) emit(buf []byte, emit func(Digest, []byte) error) (_ []byte, err error) {
	for _, k := range n.kids {
		if buf, err = k.emit(buf, emit); err != nil {
			return buf, err
		}
	}
	for _, l := range n.leaves {
		if err = emitLeaf(buf, l, emit); err != nil {
			return buf, err
		}
	}
	if buf, err = n.appendBlock(buf[:0], emit); err != nil {
		return buf, err
	}
	return buf, emit(n.digest, buf)
}

// ReadMap reads the map with the given root from its blocks. decode decodes a
// leaf and must not retain its argument. ReadMap verifies each block against
// its digest, the tree against the keys, and each leaf against its key and
// encoding; the map returned has the requested root. Its errors are those of
// get and decode, ErrCanonical, ErrKind, ErrFormat, ErrDigest, ErrTooLarge and
// ErrShape. It takes O(n log n).
func ReadMap[L Leaf](root Digest, get func(Digest) ([]byte, error), decode func(value []byte) (L, error)) (Map[L], error) {
	mr := mapReader[L]{get: get, decode: decode}
	if err := mr.read(root, Digest{}, 0); err != nil {
		return Map[L]{}, fmt.Errorf("read map: %w", err)
	}
	m := Build(mr.leaves)
	if m.Root() != root {
		return Map[L]{}, fmt.Errorf("read map %s: its leaves have root %s: %w", root, m.Root(), ErrShape)
	}
	return m, nil
}

type mapReader[L Leaf] struct {
	get    func(Digest) ([]byte, error)
	decode func([]byte) (L, error)
	leaves []L
}

// read collects the leaves of the subtree d. Their keys must start with the
// first depth digits of prefix.
func (mr *mapReader[L]) read(d, prefix Digest, depth int) error {
	block, err := fetch(d, mr.get)
	if err != nil {
		return err
	}
	kids, leaves, entries, err := readNode(block, depth, mr.get)
	if err != nil {
		return fmt.Errorf("block %s: %w", d, err)
	}
	for slots := kids | leaves; slots != 0; slots &= slots - 1 {
		bit, link := slots&-slots, entries[0]
		entries = entries[1:]
		if kids&bit != 0 {
			err = mr.read(link, child(prefix, depth, bit), depth+1)
		} else {
			err = mr.leaf(link, prefix, depth, bit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaf adds the leaf d, which is in the slot of bit in its node.
func (mr *mapReader[L]) leaf(d, prefix Digest, depth int, bit uint16) error {
	block, err := fetch(d, mr.get)
	if err != nil {
		return err
	}
	r := NewReader(block)
	r.FixedList(2)
	raw := r.Bytes()
	value := r.Link()
	if r.Err() == nil && len(raw) != DigestSize {
		r.fail(fmt.Sprintf("key of %d bytes, not of %d", DigestSize, len(raw)))
	}
	if err := r.Done(); err != nil {
		return fmt.Errorf("leaf %s: %w", d, err)
	}
	key := Digest(raw)
	if !within(key, prefix, depth, bit) {
		return fmt.Errorf("leaf %s in the wrong place: %w", key, ErrShape)
	}
	if block, err = fetch(value, mr.get); err != nil {
		return err
	}
	l, err := mr.decode(block)
	if err != nil {
		return fmt.Errorf("leaf %s: %w", key, err)
	}
	mr.leaves = append(mr.leaves, l)
	return nil
}

// readNode decodes the block of a node and the blocks of its groups, and verifies everything
// that does not need other blocks: the format, the bitmaps, the number of entries, and
// that a node below the root has more than one leaf.
func readNode(block []byte, depth int, get func(Digest) ([]byte, error)) (kids, leaves uint16, entries []Digest, err error) {
	r := NewReader(block)
	r.FixedMap(4)
	r.Key("f")
	if f := r.Uint(); r.Err() == nil && f != mapFormat {
		return 0, 0, nil, fmt.Errorf("map format %d: %w", f, ErrFormat)
	}
	r.Key("kids")
	kidMap := r.Uint()
	r.Key("leaves")
	leafMap := r.Uint()
	r.Key("entries")
	width := r.List()
	if r.Err() != nil {
		return 0, 0, nil, r.Err()
	}
	if kidMap >= 1<<slotCount || leafMap >= 1<<slotCount {
		return 0, 0, nil, fmt.Errorf("bitmaps %#x and %#x: %w", kidMap, leafMap, ErrShape)
	}
	kids, leaves = uint16(kidMap), uint16(leafMap)
	if err := checkShape(kids, leaves, depth); err != nil {
		return 0, 0, nil, err
	}
	count := bits.OnesCount16(kids | leaves)
	if width != topOf(count) {
		return 0, 0, nil, fmt.Errorf("%d links for %d entries: %w", width, count, ErrShape)
	}
	links := readLinks(r, width, make([]Digest, 0, slotCount))
	if err := r.Done(); err != nil || count <= groupSize {
		return kids, leaves, links, err
	}
	for i, d := range links {
		group, err := fetch(d, get)
		if err != nil {
			return 0, 0, nil, err
		}
		gr := NewReader(group)
		n := min(groupSize, count-i*groupSize)
		gr.FixedList(n)
		entries = readLinks(gr, n, entries)
		if err := gr.Done(); err != nil {
			return 0, 0, nil, fmt.Errorf("group %s: %w", d, err)
		}
	}
	return kids, leaves, entries, nil
}

// topOf returns the number of links in the block of a node with this many entries.
func topOf(entries int) int {
	if entries <= groupSize {
		return entries
	}
	return (entries + groupSize - 1) / groupSize
}

// checkShape verifies the bitmaps of a node at a depth.
func checkShape(kids, leaves uint16, depth int) error {
	if kids&leaves != 0 || depth >= maxLevels {
		return fmt.Errorf("bitmaps %#x and %#x at depth %d: %w", kids, leaves, depth, ErrShape)
	}
	if depth > 0 && kids == 0 && leaves&(leaves-1) == 0 {
		return fmt.Errorf("node of fewer than two leaves below the root: %w", ErrShape)
	}
	return nil
}

// child returns the common prefix of the keys below the slot of bit.
func child(prefix Digest, depth int, bit uint16) Digest {
	digit := byte(bits.TrailingZeros16(bit))
	if depth%2 == 0 {
		digit <<= slotBits
	}
	prefix[depth/2] |= digit
	return prefix
}

// within reports whether key starts with the first depth digits of prefix,
// followed by the digit of bit.
func within(key, prefix Digest, depth int, bit uint16) bool {
	whole := depth / 2
	return string(key[:whole]) == string(prefix[:whole]) &&
		(depth%2 == 0 || key[whole]>>slotBits == prefix[whole]>>slotBits) &&
		slot(key, depth) == bit
}
