// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"encoding/binary"
	"slices"
	"strings"
)

// lexicon numbers strings 0, 1, 2... in order of first occurrence. Looking up a known string
// allocates nothing, and one of at most eight bytes, like most words, is a number. Strings
// must not contain a zero byte.
type lexicon struct {
	short map[uint64]uint32 // strings of at most eight bytes, padded with zeros
	long  map[string]uint32
	list  []string
}

func newLexicon() *lexicon { return &lexicon{short: map[uint64]uint32{}, long: map[string]uint32{}} }

// intern returns the number of key and whether it is new. It keeps a copy of key.
func (x *lexicon) intern(key []byte) (number uint32, isNew bool) {
	var padded [8]byte
	next := uint32(len(x.list))
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
	x.list = append(x.list, string(key))
	return next, true
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
