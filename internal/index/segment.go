// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// table is a list of strings in one buffer, with 8 bytes of overhead per string.
type table struct {
	blob string
	ends []int
}

func (t table) len() int { return len(t.ends) }

// at returns string i, a view of the buffer.
func (t table) at(i int) string {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.blob[start:t.ends[i]]
}

// find returns the index of s in a sorted table. O(log n).
func (t table) find(s string) (int, bool) {
	return sort.Find(t.len(), func(i int) int {
		switch v := t.at(i); {
		case s < v:
			return -1
		case s > v:
			return 1
		}
		return 0
	})
}

// segment is an immutable inverted index. Documents are numbered in id order and terms
// are in byte order, so a segment depends only on its documents.
type segment struct {
	ids     table
	lengths []uint32 // weighted number of words by document
	terms   table
	lists   table // posting list of each term, encoded by appendPosting
}

// posting is one document that has a term.
type posting struct {
	doc    uint32
	weight uint32 // weighted occurrences, never 0
}

// appendPosting encodes a posting. gap is the number of the document less the number of the
// one after the previous posting (less 0 for the first). A weight of 1 is encoded as
// the number 2*gap+1, any other as 2*gap followed by the weight. Nine out of ten
// postings of prose take one byte.
func appendPosting(dst []byte, gap, weight uint32) []byte {
	if weight == 1 {
		return binary.AppendUvarint(dst, uint64(gap)<<1|1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(gap)<<1), uint64(weight))
}

// postingSize is the number of bytes that appendPosting adds.
func postingSize(gap, weight uint32) int {
	n := uvarintSize(uint64(gap)<<1 | 1)
	if weight != 1 {
		n += uvarintSize(uint64(weight))
	}
	return n
}

func uvarintSize(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// uvarint reads a number from list at i and returns it and the offset after it. For a
// number that is cut off or too long it returns 0 and len(list).
func uvarint(list string, i int) (uint64, int) {
	var v uint64
	for shift := 0; i < len(list) && shift < 64; shift += 7 {
		c := list[i]
		i++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i
		}
	}
	return 0, len(list)
}

// postings appends the live postings of term t to dst. A list that names a document
// beyond the segment, which only forged data does, ends there.
func (s *segment) postings(dst []posting, t int, dead bitmap) []posting {
	list, docs, doc := s.lists.at(t), uint64(len(s.lengths)), uint64(0)
	for i := 0; i < len(list); doc++ {
		v := uint64(list[i])
		if v < 0x80 {
			i++
		} else {
			v, i = uvarint(list, i)
		}
		weight := uint64(1)
		if v&1 == 0 {
			weight, i = uvarint(list, i)
		}
		if doc+v>>1 >= docs {
			break
		}
		doc += v >> 1
		if !dead.has(uint32(doc)) {
			dst = append(dst, posting{uint32(doc), uint32(weight)})
		}
	}
	return dst
}

// bitmap is a set of document numbers; nil is empty.
type bitmap []uint64

func (b bitmap) has(doc uint32) bool {
	return b != nil && b[doc>>6]>>(doc&63)&1 != 0
}

func (b bitmap) set(doc uint32) { b[doc>>6] |= 1 << (doc & 63) }
