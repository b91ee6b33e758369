// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"math"
	"slices"
	"sync/atomic"
)

// blockPostings is how many postings of a long list make a block. Reading one takes
// about 0.2 µs; telling of 128 postings where they end takes 12 bytes.
const postingsPerBlock = 128

// block is a run of postings of a list: where it ends, and what bounds the share of
// its documents in a score.
type block struct {
	last         uint32  // document
	listEnd      uint32  // place in the list behind its last posting
	maxTermScore float32 // the greatest, for a term of weight 1, if the average length were that of the segment
}

// longList is a posting list in blocks of blockPostings and one of the rest.
type blockList struct {
	postings int
	blocks   []block // of a short list after all fewer than two
}

// cut notes which lists of s may be long. Each is divided when a search first asks for
// it. O(terms).
func (s *segment) findLongLists() {
	length := 0
	for _, n := range s.lengths {
		length += int(n)
	}
	s.formula = newBM25(len(s.lengths), length)
	start := 0
	for t, end := range s.lists.ends {
		if end-start > postingsPerBlock && end-start <= math.MaxUint32 { // a posting has at least a byte
			s.longTerms = append(s.longTerms, uint32(t))
		}
		start = end
	}
	s.longLists = make([]atomic.Pointer[blockList], len(s.longTerms))
}

// divide cuts one list. O(size of the list).
func (s *segment) buildBlocks(t int) *blockList {
	l := &blockList{}
	list := s.lists.at(t)
	var read [postingsPerBlock]posting
	for from, at := uint32(0), 0; at < len(list); {
		run, end := s.decodePostings(read[:0], list, at, from, postingsPerBlock, nil)
		if len(run) == 0 {
			break
		}
		b := s.newBlock(run)
		b.listEnd = uint32(end)
		l.blocks = append(l.blocks, b)
		l.postings += len(run)
		from, at = b.last+1, end
	}
	return l
}

// bound returns the block of postings, of which there is at least one, without its end.
func (s *segment) newBlock(run []posting) block {
	b := block{last: run[len(run)-1].doc}
	maxScore := 0.0
	for _, p := range run {
		maxScore = max(maxScore, s.formula.termScore(1, p.weight, s.lengths[p.doc]))
	}
	b.maxTermScore = float32(maxScore)
	return b
}

// blocks returns the blocks of the list of term t, nil of a short one. It is safe for
// concurrent use.
func (s *segment) blocks(t int) (blocks []block, postings int) {
	i, ok := slices.BinarySearch(s.longTerms, uint32(t))
	if !ok {
		return nil, 0
	}
	l := s.longLists[i].Load()
	if l == nil {
		l = s.buildBlocks(t)
		s.longLists[i].Store(l) // of two at once either will do
	}
	if len(l.blocks) < 2 {
		return nil, 0
	}
	return l.blocks, l.postings
}

// count returns how many live documents have term t. Of a long list only blocks
// are read in which a document is dead. O(blocks + size of these).
func (p *part) docFreq(t int) int {
	list := p.lists.at(t)
	var read [postingsPerBlock]posting
	blocks, n := p.blocks(t)
	if blocks == nil {
		return len(p.postings(read[:0], t, p.dead))
	}
	if p.dead == nil {
		return n
	}
	n = 0
	for i, b := range blocks {
		from, at := blockStart(blocks, i)
		switch {
		case p.dead.hasAny(from, b.last):
			live, _ := p.decodePostings(read[:0], list[:b.listEnd], at, from, postingsPerBlock, p.dead)
			n += len(live)
		case i < len(blocks)-1:
			n += postingsPerBlock
		default:
			all, _ := p.decodePostings(read[:0], list[:b.listEnd], at, from, postingsPerBlock, nil)
			n += len(all)
		}
	}
	return n
}

// begin returns the first document that block i may hold, and where it begins in the list.
func blockStart(blocks []block, i int) (from uint32, at int) {
	if i == 0 {
		return 0, 0
	}
	return blocks[i-1].last + 1, int(blocks[i-1].listEnd)
}
