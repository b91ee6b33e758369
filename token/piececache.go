// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	_ "embed"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"strings"
	"sync/atomic"
)

// pieceCache caches the token counts of pieces in less than 2 MB. It is direct-mapped:
// a piece evicts the previous one of its slot. It is safe for concurrent use.
type pieceCache struct {
	slots [1 << 14]atomic.Pointer[cachedPiece]
}

type cachedPiece struct {
	piece  string
	tokens int
}

var pieceCacheSeed = maphash.MakeSeed()

// count returns the cached count of a piece, or calls count and stores the result.
func (r *pieceCache) count(piece string, count func(string) int) int {
	slot := &r.slots[maphash.String(pieceCacheSeed, piece)%uint64(len(r.slots))]
	if cached := slot.Load(); cached != nil && cached.piece == piece {
		return cached.tokens
	}
	cached := &cachedPiece{strings.Clone(piece), count(piece)} // do not retain the whole text
	slot.Store(cached)
	return cached.tokens
}

// wordSet is a Bloom filter of the word pieces that are single tokens of o200k: ASCII
// capitals followed by small letters, optionally with a space or symbol before and a
// contraction after them. It has no false negatives and about one false positive in
// two hundred. It has 2^15 words of 64 bits, little-endian; a key sets four bits in one
// of them. A test derives it from the vocabulary.
//
//go:embed words.bin
var wordSet []byte

const (
	wordSetBits = 15
	wordSetSize = 8 << wordSetBits
	// wordSeed was chosen among 150 so that frequent words of Org files are not false
	// positives: DEADLINE is three tokens.
	wordSeed = 0xbe47d349c4fac62c
)

// hashStep adds an ASCII byte to the hash of a piece, which starts as 0.
func hashStep(hash uint64, c byte) uint64 { return bits.RotateLeft64(hash, 7) ^ uint64(c) }

// wordSlot returns the offset of a piece in the set, and the mask of its four bits.
func wordSlot(hash uint64) (offset int, mask uint64) {
	high, low := bits.Mul64(hash^wordSeed, 0xe7037ed1a0b428db)
	h := high ^ low
	mask = 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
	return int(h>>(64-wordSetBits)) * 8, mask
}

func isWord(hash uint64) bool {
	offset, mask := wordSlot(hash)
	return binary.LittleEndian.Uint64(wordSet[offset:])&mask == mask
}
