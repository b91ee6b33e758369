// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// recent remembers the tokens of pieces counted lately, below 2 MB of them: each has one
// place, where the last one that belongs there stands. It changes no count, and is safe
// for concurrent use.
type pieceCache struct {
	slots [1 << 14]atomic.Pointer[cachedPiece]
}

type cachedPiece struct {
	piece  string
	tokens int
}

var pieceCacheSeed = maphash.MakeSeed()

// count returns what count does for a piece.
func (r *pieceCache) count(piece string, count func(string) int) int {
	slot := &r.slots[maphash.String(pieceCacheSeed, piece)%uint64(len(r.slots))]
	if cached := slot.Load(); cached != nil && cached.piece == piece {
		return cached.tokens
	}
	cached := &cachedPiece{strings.Clone(piece), count(piece)} // the piece would keep its whole text
	slot.Store(cached)
	return cached.tokens
}
