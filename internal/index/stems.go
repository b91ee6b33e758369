// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// stemCache caches the stems of recent query words in less than 1 MB. Each word maps to
// one slot, which holds the last word stored there. It is safe for concurrent use.
type stemCache struct {
	seed  maphash.Seed
	slots [1 << 13]atomic.Pointer[stemEntry]
}

type stemEntry struct{ word, stem string }

var stems = stemCache{seed: maphash.MakeSeed()}

// stem returns the English stem of a lower-case word.
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
