// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// stemTable remembers the stems of words asked for lately, below 1 MB of them: each word
// has one place, where the last one that belongs there stands. It is safe for concurrent use.
type stemTable struct {
	seed   maphash.Seed
	places [1 << 13]atomic.Pointer[stemmed]
}

type stemmed struct{ word, stem string }

var stems = stemTable{seed: maphash.MakeSeed()}

// of returns the English stem of a word in small letters.
func (t *stemTable) of(word []byte) string {
	place := &t.places[maphash.Bytes(t.seed, word)%uint64(len(t.places))]
	if s := place.Load(); s != nil && s.word == string(word) {
		return s.stem
	}
	s := &stemmed{word: string(word)}
	s.stem = english.Stem(s.word, true)
	place.Store(s)
	return s.stem
}
