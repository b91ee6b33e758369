// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import "math"

// none is the rank of bytes that are no token.
const none = math.MaxInt32

// longPiece is the length in bytes from which pieces are merged with a heap:
// below it, looking through all parts for the lowest rank is faster.
const longPiece = 96

// vocabulary holds the rank of every token, by its bytes. It is immutable and
// safe for concurrent use.
type vocabulary struct {
	ranks map[string]int
	// pairs is ranks for the tokens of two bytes.
	pairs [1 << 16]int32
	// longest is the length of the longest token.
	longest int
	// recent are pieces counted lately: a text repeats its words, and so do texts.
	recent recent
}

func newVocabulary(ranks map[string]int) *vocabulary {
	v := &vocabulary{ranks: ranks}
	for i := range v.pairs {
		v.pairs[i] = none
	}
	for token, rank := range ranks {
		v.longest = max(v.longest, len(token))
		if len(token) == 2 {
			v.pairs[int(token[0])<<8|int(token[1])] = int32(rank)
		}
	}
	return v
}

// rank returns the rank of the token s, or none.
func (v *vocabulary) rank(s string) int32 {
	if len(s) == 2 {
		return v.pairs[int(s[0])<<8|int(s[1])]
	}
	if len(s) > v.longest {
		return none
	}
	if rank, ok := v.ranks[s]; ok {
		return int32(rank)
	}
	return none
}

// count returns the number of tokens of one piece: 1 when it is a token, else
// what is left of its bytes after merging, again and again, the leftmost of the
// neighbours whose union has the lowest rank.
func (v *vocabulary) count(piece string) int {
	switch {
	case len(piece) <= 2:
		if len(piece) == 2 && v.rank(piece) == none {
			return 2
		}
		return 1
	case len(piece) < longPiece:
		return v.recent.count(piece, v.merge)
	}
	return v.merge(piece)
}

// merge is count for a piece of three bytes or more, without what is remembered.
func (v *vocabulary) merge(piece string) int {
	switch {
	case v.rank(piece) != none:
		return 1
	case len(piece) < longPiece:
		return v.mergeShort(piece)
	}
	return v.mergeLong(piece)
}

// mergeShort takes quadratic time in the length of the piece, and no memory.
func (v *vocabulary) mergeShort(piece string) int {
	var starts [longPiece + 1]uint8
	var ranks [longPiece]int32 // of the part at the same index with the next
	n := len(piece)
	for i := range n {
		starts[i+1] = uint8(i + 1)
		ranks[i] = none
		if i+1 < n {
			ranks[i] = v.rank(piece[i : i+2])
		}
	}
	pair := func(i int) int32 {
		if i+2 > n {
			return none
		}
		return v.rank(piece[starts[i]:starts[i+2]])
	}
	for {
		best, lowest := 0, int32(none)
		for i, rank := range ranks[:n] {
			if rank < lowest {
				best, lowest = i, rank
			}
		}
		if lowest == none {
			return n
		}
		copy(starts[best+1:n], starts[best+2:n+1])
		copy(ranks[best+1:n-1], ranks[best+2:n])
		n--
		ranks[best] = pair(best)
		if best > 0 {
			ranks[best-1] = pair(best - 1)
		}
	}
}

// mergeLong takes time n log n in the length of the piece, and some 30 bytes of
// memory for each byte of it. A part is named by the offset of its first byte.
func (v *vocabulary) mergeLong(piece string) int {
	n := len(piece)
	next := make([]int32, n+1) // the part behind; n stands for the end
	previous := make([]int32, n+1)
	ranks := make([]int32, n+1) // of the part with the one behind
	ready := make(mergeHeap, 0, n)
	for i := range n {
		next[i], previous[i], ranks[i] = int32(i+1), int32(i-1), none
	}
	offer := func(i int32) {
		ranks[i] = none
		if j := next[i]; j < int32(n) {
			ranks[i] = v.rank(piece[i:next[j]])
		}
		if ranks[i] != none {
			ready.push(merge{ranks[i], i})
		}
	}
	for i := range n {
		offer(int32(i))
	}
	parts := n
	for len(ready) > 0 {
		m := ready.pop()
		if ranks[m.at] != m.rank {
			continue // its part has changed or is gone
		}
		gone := next[m.at]
		next[m.at] = next[gone]
		previous[next[gone]] = m.at
		ranks[gone] = none
		parts--
		offer(m.at)
		if m.at > 0 {
			offer(previous[m.at])
		}
	}
	return parts
}

// merge is the union of the part at an offset with the one behind it.
type merge struct{ rank, at int32 }

func (m merge) less(o merge) bool { return m.rank < o.rank || m.rank == o.rank && m.at < o.at }

// mergeHeap is a binary heap with the lowest rank, and of those the leftmost,
// on top.
type mergeHeap []merge

func (h *mergeHeap) push(m merge) {
	*h = append(*h, m)
	s := *h
	i := len(s) - 1
	for i > 0 && m.less(s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = m
}

func (h *mergeHeap) pop() merge {
	s := *h
	top, m := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(s) {
			if i < len(s) {
				s[i] = m
			}
			return top
		}
		if child+1 < len(s) && s[child+1].less(s[child]) {
			child++
		}
		if !s[child].less(m) {
			s[i] = m
			return top
		}
		s[i] = s[child]
		i = child
	}
}
