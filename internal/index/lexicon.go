// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// lexicon numbers byte strings 0, 1, 2... in order of first occurrence. It is an
// open-addressing hash table over one buffer. Looking up a known string allocates
// nothing, and one of at most eight bytes, like most words, touches one cache line. The
// hash is seeded, so input cannot be made to collide, and no order depends on it.
// Strings must not contain a zero byte.
type lexicon struct {
	seed  maphash.Seed
	salt  uint64
	slots []lexiconSlot // length is a power of two, at most half full
	keys  []byte
	ends  []int // keys[ends[i-1]:ends[i]] is string i
}

type lexiconSlot struct {
	prefix uint64 // first eight bytes, zero-padded
	tag    uint32 // low half of the hash
	number uint32 // number of the string plus one; 0 marks a free slot
}

const initialSlots = 256

func newLexicon() *lexicon {
	seed := maphash.MakeSeed()
	return &lexicon{seed: seed, salt: maphash.String(seed, "salt") | 1, slots: make([]lexiconSlot, initialSlots)}
}

// intern returns the number of key and whether it is new. It keeps a copy of key.
func (x *lexicon) intern(key []byte) (number uint32, isNew bool) {
	head := prefixOf(key)
	h := x.hash(key, head)
	tag, mask := uint32(h), uint64(len(x.slots)-1)
	for i := h >> 32 & mask; ; i = (i + 1) & mask {
		slot := &x.slots[i]
		if slot.number == 0 {
			x.keys = append(x.keys, key...)
			x.ends = append(x.ends, len(x.keys))
			*slot = lexiconSlot{head, tag, uint32(len(x.ends))}
			if 2*len(x.ends) > len(x.slots) {
				x.grow()
			}
			return uint32(len(x.ends) - 1), true
		}
		if slot.prefix == head && slot.tag == tag && (len(key) < 8 || bytes.Equal(x.key(int(slot.number-1)), key)) {
			return slot.number - 1, false
		}
	}
}

// hash mixes a short string with a 128-bit product, as wyhash does.
func (x *lexicon) hash(key []byte, head uint64) uint64 {
	if len(key) > 8 {
		return maphash.Bytes(x.seed, key)
	}
	hi, lo := bits.Mul64(head^x.salt, 0x9E3779B97F4A7C15)
	hi, lo = bits.Mul64(hi^lo, x.salt)
	return hi ^ lo
}

// prefixOf returns the first eight bytes of key as a little-endian number, padded with
// zeros.
func prefixOf(key []byte) uint64 {
	n := len(key)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(key)
	case n >= 4:
		low, high := binary.LittleEndian.Uint32(key), binary.LittleEndian.Uint32(key[n-4:])
		return uint64(low) | uint64(high)<<(8*(n-4))
	case n > 0:
		return uint64(key[0]) | uint64(key[n/2])<<(8*(n/2)) | uint64(key[n-1])<<(8*(n-1))
	}
	return 0
}

// key returns string i, a view of the buffer that is valid until the next intern.
func (x *lexicon) key(i int) []byte {
	if i == 0 {
		return x.keys[:x.ends[0]]
	}
	return x.keys[x.ends[i-1]:x.ends[i]]
}

func (x *lexicon) grow() {
	x.slots = make([]lexiconSlot, 2*len(x.slots))
	mask := uint64(len(x.slots) - 1)
	for n := range x.ends {
		key := x.key(n)
		head := prefixOf(key)
		h := x.hash(key, head)
		i := h >> 32 & mask
		for x.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = lexiconSlot{head, uint32(h), uint32(n + 1)}
	}
}

// sorted returns the numbers in byte order of their strings.
func (x *lexicon) sorted() []uint32 {
	type entry struct {
		head   uint64 // in byte order; it decides nearly every comparison
		number uint32
	}
	entries := make([]entry, len(x.ends))
	for i := range entries {
		entries[i] = entry{bits.ReverseBytes64(prefixOf(x.key(i))), uint32(i)}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if c := cmp.Compare(a.head, b.head); c != 0 {
			return c
		}
		return bytes.Compare(x.key(int(a.number)), x.key(int(b.number)))
	})
	order := make([]uint32, len(entries))
	for i, e := range entries {
		order[i] = e.number
	}
	return order
}

// table returns the strings in the given order as an immutable table.
func (x *lexicon) table(order []uint32) table {
	var blob strings.Builder
	blob.Grow(len(x.keys))
	t := table{ends: make([]int, len(order))}
	for i, n := range order {
		blob.Write(x.key(int(n)))
		t.ends[i] = blob.Len()
	}
	t.blob = blob.String()
	return t
}
