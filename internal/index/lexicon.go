// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"
	"strings"
)

// lexicon numbers strings 0, 1, 2... in order of first occurrence. Looking up a known string
// allocates nothing.
type lexicon struct {
	numbers map[string]uint32
	list    []string
}

func newLexicon() *lexicon { return &lexicon{numbers: map[string]uint32{}} }

// intern returns the number of key and whether it is new. It keeps a copy of key.
func (x *lexicon) intern(key []byte) (number uint32, isNew bool) {
	if n, known := x.numbers[string(key)]; known {
		return n, false
	}
	next, text := uint32(len(x.list)), string(key)
	x.numbers[text] = next
	x.list = append(x.list, text)
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
