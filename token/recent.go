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
type recent struct {
	places [1 << 14]atomic.Pointer[counted]
}

type counted struct {
	piece  string
	tokens int
}

var recentSeed = maphash.MakeSeed()

// count returns what count does for a piece.
func (r *recent) count(piece string, count func(string) int) int {
	place := &r.places[maphash.String(recentSeed, piece)%uint64(len(r.places))]
	if c := place.Load(); c != nil && c.piece == piece {
		return c.tokens
	}
	c := &counted{strings.Clone(piece), count(piece)} // the piece would keep its whole text
	place.Store(c)
	return c.tokens
}
