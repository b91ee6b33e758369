// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// stemTable remembers the stems of words asked for lately, below 1 MB of them: each word
// has one place, where the last one that belongs there stands. It is safe for concurrent use.
type stemCache struct {
	seed  maphash.Seed
	slots [1 << 13]atomic.Pointer[stemEntry]
}

type stemEntry struct{ word, stem string }

var stems = stemCache{seed: maphash.MakeSeed()}

// of returns the English stem of a word in small letters.
func (t *stemCache) stem(word []byte) string {
	slot := &t.slots[maphash.Bytes(t.seed, word)%uint64(len(t.slots))]
	if s := slot.Load(); s != nil && s.word == string(word) {
		return s.stem
	}
	s := &stemEntry{word: string(word)}
	s.stem = english.Stem(s.word, true)
	slot.Store(s)
	return s.stem
}
