// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	_ "embed" // for the set of words
	"encoding/binary"
	"math/bits"
)

// wordSet says which pieces that are a word are one token of o200k: ASCII words
// of capitals with small letters behind them, also with a space or sign before
// and a contraction behind them. It is a Bloom filter: no token is missing, and
// of other words about one in two hundred is taken for a token. It is 2^15
// words of 64 bits, little-endian; a key sets four bits in one of them. A test
// derives it from the vocabulary.
//
//go:embed words.bin
var wordSet []byte

const (
	wordSetBits = 15
	wordSetSize = 8 << wordSetBits
	// wordSeed was chosen among 150 so that words that are frequent in Org files
	// are not taken for tokens by mistake: DEADLINE is three.
	wordSeed = 0xbe47d349c4fac62c
)

// hashStep adds a byte of ASCII to the hash of a piece, which starts as 0.
func hashStep(hash uint64, c byte) uint64 { return bits.RotateLeft64(hash, 7) ^ uint64(c) }

// wordSlot returns the offset of a piece in the set, and its four bits.
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
