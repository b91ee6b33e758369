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

func (n *hnode[L]) emit(buf []byte, emit func(Digest, []byte) error) (_ []byte, err error) {
	for _, k := range n.kids {
		if buf, err = k.emit(buf, emit); err != nil {
			return buf, err
		}
	}
	for _, l := range n.leaves {
		if buf = l.AppendCanonical(buf[:0]); len(buf) > MaxLeaf {
			return buf, fmt.Errorf("map: leaf %s: %d bytes, more than %d: %w", l.Key(), len(buf), MaxLeaf, ErrTooLarge)
		}
	}
	buf = n.appendBlock(buf[:0])
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
	var e Editor[L]
	for _, l := range mr.leaves {
		e.Set(l)
	}
	m := e.Map()
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
	entries, err := readBlock(block, prefix, depth)
	if err != nil {
		return fmt.Errorf("block %s: %w", d, err)
	}
	for _, e := range entries {
		if e.value == nil {
			if err := mr.read(e.link, e.path, depth+1); err != nil {
				return err
			}
			continue
		}
		l, err := mr.decode(e.value)
		if err != nil {
			return fmt.Errorf("block %s: leaf %s: %w", d, e.path, err)
		}
		mr.leaves = append(mr.leaves, l)
	}
	return nil
}

// blockEntry is the content of one slot of a block.
type blockEntry struct {
	bit   uint16
	path  Digest // key of the leaf, or the common prefix of the keys below
	link  Digest // to the child
	value []byte // of the leaf; nil for a child
}

// readBlock decodes the block of a node and verifies everything that does not
// need other blocks: the format, the bitmap, that each leaf is in its slot, and
// that a node below the root is not single.
func readBlock(block []byte, prefix Digest, depth int) ([]blockEntry, error) {
	r := NewReader(block)
	r.FixedMap(3)
	r.Key("f")
	if f := r.Uint(); r.Err() == nil && f != mapFormat {
		return nil, fmt.Errorf("map format %d: %w", f, ErrFormat)
	}
	r.Key("bitmap")
	bitmap := r.Uint()
	r.Key("entries")
	count := r.List()
	if r.Err() != nil {
		return nil, r.Err()
	}
	if bitmap >= 1<<slotCount || bits.OnesCount64(bitmap) != count || depth >= maxLevels {
		return nil, fmt.Errorf("%d entries for bitmap %#x at depth %d: %w", count, bitmap, depth, ErrShape)
	}
	entries := make([]blockEntry, 0, count)
	for slots := uint16(bitmap); slots != 0; slots &= slots - 1 {
		e := readEntry(r, prefix, depth, slots&-slots)
		if r.Err() != nil {
			return nil, r.Err()
		}
		if e.value != nil && !within(e.path, prefix, depth, e.bit) {
			return nil, fmt.Errorf("leaf %s in the wrong place: %w", e.path, ErrShape)
		}
		entries = append(entries, e)
	}
	if depth > 0 && (count == 0 || count == 1 && entries[0].value != nil) {
		return nil, fmt.Errorf("node of fewer than two leaves below the root: %w", ErrShape)
	}
	return entries, r.Done()
}

func readEntry(r *Reader, prefix Digest, depth int, bit uint16) blockEntry {
	e := blockEntry{bit: bit, path: prefix}
	if r.Peek() == KindLink {
		digit := byte(bits.TrailingZeros16(bit))
		if depth%2 == 0 {
			digit <<= slotBits
		}
		e.path[depth/2] |= digit
		e.link = r.Link()
		return e
	}
	r.FixedList(2)
	if key := r.Bytes(); len(key) == DigestSize {
		e.path = Digest(key)
	} else {
		r.fail(fmt.Sprintf("key of %d bytes, not of %d", DigestSize, len(key)))
	}
	e.value = r.Raw()
	return e
}

// within reports whether key starts with the first depth digits of prefix,
// followed by the digit of bit.
func within(key, prefix Digest, depth int, bit uint16) bool {
	whole := depth / 2
	return string(key[:whole]) == string(prefix[:whole]) &&
		(depth%2 == 0 || key[whole]>>slotBits == prefix[whole]>>slotBits) &&
		slot(key, depth) == bit
}
