// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// lexicon numbers strings 0, 1, 2... in order of first occurrence. It is an open-addressing
// hash table: looking up a known string allocates nothing, and one of at most eight bytes,
// like most words, touches one cache line. The hash is seeded, so that no input can be made to
// collide, and no order depends on it. Strings must not contain a zero byte.
type lexicon struct {
	seed  maphash.Seed
	salt  uint64
	slots []lexiconSlot // their number is a power of two, at most half are taken
	list  []string
}

type lexiconSlot struct {
	head   uint64 // the first eight bytes, padded with zeros
	hash   uint64
	number uint32 // of the string plus one; 0 marks a free slot
}

func newLexicon() *lexicon {
	seed := maphash.MakeSeed()
	return &lexicon{seed: seed, salt: maphash.String(seed, "salt") | 1, slots: make([]lexiconSlot, 256)}
}

// intern returns the number of key and whether it is new. It keeps a copy of key.
func (x *lexicon) intern(key []byte) (number uint32, isNew bool) {
	var padded [8]byte
	copy(padded[:], key)
	head := binary.LittleEndian.Uint64(padded[:])
	hash := x.hash(key, head)
	i := x.from(hash)
	for ; x.slots[i].number != 0; i = x.from(i + 1) {
		if s := &x.slots[i]; s.head == head && s.hash == hash && (len(key) < 8 || x.list[s.number-1] == string(key)) {
			return s.number - 1, false
		}
	}
	x.list = append(x.list, string(key))
	x.slots[i] = lexiconSlot{head, hash, uint32(len(x.list))}
	if 2*len(x.list) > len(x.slots) {
		x.grow()
	}
	return uint32(len(x.list) - 1), true
}

// from returns the slot where a search for a hash begins.
func (x *lexicon) from(hash uint64) uint64 { return hash & uint64(len(x.slots)-1) }

// hash mixes a short string with a 128-bit product, as wyhash does.
func (x *lexicon) hash(key []byte, head uint64) uint64 {
	if len(key) > 8 {
		return maphash.Bytes(x.seed, key)
	}
	hi, lo := bits.Mul64(head^x.salt, 0x9E3779B97F4A7C15)
	hi, lo = bits.Mul64(hi^lo, x.salt)
	return hi ^ lo
}

func (x *lexicon) grow() {
	old := x.slots
	x.slots = make([]lexiconSlot, 2*len(old))
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		i := x.from(s.hash)
		for x.slots[i].number != 0 {
			i = x.from(i + 1)
		}
		x.slots[i] = s
	}
}

// sorted returns the numbers in byte order of their strings.
func (x *lexicon) sorted() []uint32 {
	order := make([]uint32, len(x.list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(x.list[a], x.list[b]) })
	return order
}

// table returns the strings in the given order as an immutable table.
func (x *lexicon) table(order []uint32) table {
	var w tableWriter
	for _, n := range order {
		w.append(x.list[n])
	}
	return w.table()
}
