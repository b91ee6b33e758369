// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"hash/maphash"
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
