// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// lexicon numbers byte strings 0, 1, 2... in order of first occurrence. Looking up a known
// string allocates nothing, and one of at most eight bytes, like most words, is a number.
// Strings must not contain a zero byte.
type lexicon struct {
	short map[uint64]uint32 // strings of at most eight bytes, padded with zeros
	long  map[string]uint32
	keys  []byte
	ends  []int // keys[ends[i-1]:ends[i]] is string i
}

func newLexicon() *lexicon {
	return &lexicon{short: map[uint64]uint32{}, long: map[string]uint32{}}
}

// intern returns the number of key and whether it is new. It keeps a copy of key.
func (x *lexicon) intern(key []byte) (number uint32, isNew bool) {
	var padded [8]byte
	next := uint32(len(x.ends))
	if copy(padded[:], key) == len(key) {
		head := binary.LittleEndian.Uint64(padded[:])
		if n, known := x.short[head]; known {
			return n, false
		}
		x.short[head] = next
	} else {
		if n, known := x.long[string(key)]; known {
			return n, false
		}
		x.long[string(key)] = next
	}
	x.keys = append(x.keys, key...)
	x.ends = append(x.ends, len(x.keys))
	return next, true
}

// key returns string i, a view of the buffer that is valid until the next intern.
func (x *lexicon) key(i uint32) []byte {
	if i == 0 {
		return x.keys[:x.ends[0]]
	}
	return x.keys[x.ends[i-1]:x.ends[i]]
}

// sorted returns the numbers in byte order of their strings.
func (x *lexicon) sorted() []uint32 {
	order := make([]uint32, len(x.ends))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(x.key(a), x.key(b)) })
	return order
}

// table returns the strings in the given order as an immutable table.
func (x *lexicon) table(order []uint32) table {
	var w tableWriter
	for _, n := range order {
		w.appendBytes(x.key(n))
	}
	return w.table()
}
