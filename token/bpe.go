// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"math"

	"github.com/fovea-memory/fovea/internal/bound"
)

// noRank is the rank of bytes that are not a token.
const noRank = math.MaxInt32

// minHeapPiece is the length in bytes from which pieces are merged with a heap. For
// shorter ones, scanning all parts for the lowest rank is faster.
const minHeapPiece = 96

// vocabulary holds the rank of every token by its bytes. It is immutable except for its
// cache, and safe for concurrent use.
type vocabulary struct {
	ranks map[string]int
	// pairs holds the ranks of the tokens of two bytes.
	pairs [1 << 16]int32
	// maxTokenBytes is the length of the longest token.
	maxTokenBytes int
	// cache holds recently counted pieces: words repeat within and across texts.
	cache pieceCache
}

func newVocabulary(ranks map[string]int) *vocabulary {
	v := &vocabulary{ranks: ranks}
	for i := range v.pairs {
		v.pairs[i] = noRank
	}
	for token, rank := range ranks {
		v.maxTokenBytes = max(v.maxTokenBytes, len(token))
		if len(token) == 2 {
			v.pairs[int(token[0])<<8|int(token[1])] = int32(rank)
		}
	}
	return v
}

// rank returns the rank of the token s, or noRank.
func (v *vocabulary) rank(s string) int32 {
	if len(s) == 2 {
		return v.pairs[int(s[0])<<8|int(s[1])]
	}
	if len(s) > v.maxTokenBytes {
		return noRank
	}
	if rank, ok := v.ranks[s]; ok {
		return int32(rank)
	}
	return noRank
}

// count returns the number of tokens of one piece: 1 if it is a token, else the number
// of parts left after repeatedly merging the adjacent pair whose union has the lowest
// rank, leftmost first.
func (v *vocabulary) count(piece string) int {
	switch {
	case len(piece) <= 2:
		if len(piece) == 2 && v.rank(piece) == noRank {
			return 2
		}
		return 1
	case len(piece) < minHeapPiece:
		return v.cache.count(piece, v.countUncached)
	}
	return v.countUncached(piece)
}

// countUncached counts a piece of three bytes or more without the cache.
func (v *vocabulary) countUncached(piece string) int {
	switch {
	case v.rank(piece) != noRank:
		return 1
	case len(piece) < minHeapPiece:
		return v.mergeByScan(piece)
	}
	return v.mergeByHeap(piece)
}

// mergeByScan takes quadratic time in the length of the piece and does not allocate.
func (v *vocabulary) mergeByScan(piece string) int {
	var starts [minHeapPiece + 1]uint8
	var ranks [minHeapPiece]int32 // rank of the part at the index joined with the next
	n := len(piece)
	for i := range n {
		starts[i+1] = uint8(i + 1)
		ranks[i] = noRank
		if i+1 < n {
			ranks[i] = v.rank(piece[i : i+2])
		}
	}
	rankAt := func(i int) int32 {
		if i+2 > n {
			return noRank
		}
		return v.rank(piece[starts[i]:starts[i+2]])
	}
	for {
		best, lowest := 0, int32(noRank)
		for i, rank := range ranks[:n] {
			if rank < lowest {
				best, lowest = i, rank
			}
		}
		if lowest == noRank {
			return n
		}
		copy(starts[best+1:n], starts[best+2:n+1])
		copy(ranks[best+1:n-1], ranks[best+2:n])
		n--
		ranks[best] = rankAt(best)
		if best > 0 {
			ranks[best-1] = rankAt(best - 1)
		}
	}
}

// mergeByHeap takes O(n log n) time in the length of the piece, and about 30 bytes of
// memory per byte. A part is identified by the offset of its first byte.
func (v *vocabulary) mergeByHeap(piece string) int {
	n := len(piece)
	next := make([]int32, n+1) // offset of the right neighbour; n at the end
	previous := make([]int32, n+1)
	ranks := make([]int32, n+1) // rank of the part joined with its right neighbour
	queue := bound.Heap[candidate]{Items: make([]candidate, 0, n), Before: candidate.before}
	for i := range n {
		next[i], previous[i], ranks[i] = int32(i+1), int32(i-1), noRank
	}
	updatePair := func(i int32) {
		ranks[i] = noRank
		if j := next[i]; j < int32(n) {
			ranks[i] = v.rank(piece[i:next[j]])
		}
		if ranks[i] != noRank {
			queue.Push(candidate{ranks[i], i})
		}
	}
	for i := range n {
		updatePair(int32(i))
	}
	parts := n
	for len(queue.Items) > 0 {
		m := queue.Pop()
		if ranks[m.start] != m.rank {
			continue // stale: the part has changed or was merged
		}
		right := next[m.start]
		next[m.start] = next[right]
		previous[next[right]] = m.start
		ranks[right] = noRank
		parts--
		updatePair(m.start)
		if m.start > 0 {
			updatePair(previous[m.start])
		}
	}
	return parts
}

// candidate is a possible merge of the part at an offset with its right neighbour.
type candidate struct{ rank, start int32 }

// before orders merges: the lowest rank first, of equal ones the leftmost.
func (m candidate) before(o candidate) bool {
	return m.rank < o.rank || m.rank == o.rank && m.start < o.start
}
