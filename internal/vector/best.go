// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

// maxExact is the number of rows up to which all are compared.
const maxExact = 50_000

// blockBytes is the size of the rows that several questions are compared with before the next are read.
const blockBytes = 256 << 10

// Hit is a row that is near a question.
type Hit struct {
	Row    int
	Digest merkle.Digest
	Cosine float32 // a multiple of 1/65536, within [-1, 1]
}

// All returns the rows that have a vector, as a Bitmap of the caller's.
func (s *Set) All() Bitmap { return slices.Clone(s.live) }

// Best returns the k rows nearest to a question, best first, equal ones by digest. keep holds the
// rows that may be among them; it is applied before rows are compared, so
// that up to k rows are found however few it has. By codes, .98 of the k are found or more; not so if keep itself
// excludes the rows nearest to the question.
func (s *Set) Best(q *Query, keep Bitmap, k int) []Hit {
	return s.BestMany([]*Query{q}, keep, k)[0]
}

// BestMany is Best for several questions in one pass over the rows, one result for each in order.
func (s *Set) BestMany(queries []*Query, keep Bitmap, k int) [][]Hit {
	mask, count := s.mask(keep)
	if c := s.codes; c != nil && count > maxExact && c.serves(k, count) {
		return s.byCodes(queries, mask, k)
	}
	found := s.scan(queries, mask, 0, len(s.digests), k)
	return s.hits(found)
}

// mask returns the rows that have a vector and are in keep, and how many.
func (s *Set) mask(keep Bitmap) (mask Bitmap, count int) {
	mask = make(Bitmap, min(len(keep), len(s.live)))
	for i := range mask {
		mask[i] = keep[i] & s.live[i]
		count += bits.OnesCount64(mask[i])
	}
	return mask, count
}

// graded is a row with its grade.
type graded struct {
	grade grade
	row   uint32
}

// tops keeps the best rows of a question.
type tops = bound.Top[graded]

func (s *Set) newTops(k int) tops {
	return bound.NewTop(k, func(a, b graded) bool {
		if a.grade != b.grade {
			return a.grade < b.grade
		}
		return bytes.Compare(s.digests[a.row][:], s.digests[b.row][:]) > 0
	}, nil)
}

// scan compares the rows of the mask from first to last with each question.
func (s *Set) scan(queries []*Query, mask Bitmap, first, last, k int) []tops {
	found := make([]tops, len(queries))
	floor := make([]grade, len(queries)) // below it nothing is among the best
	for i := range found {
		found[i] = s.newTops(k)
	}
	block := max(64, blockBytes/(4*s.floats.stride)&^63)
	for ; first < min(last, 64*len(mask)); first = (first + block) &^ 63 {
		end := min((first+block)&^63, last)
		for i, q := range queries {
			floor[i] = s.scanBlock(q, mask, first, end, &found[i], floor[i])
		}
	}
	return found
}

func (s *Set) scanBlock(q *Query, mask Bitmap, first, last int, found *tops, floor grade) grade {
	for at := first &^ 63; at < last && at>>6 < len(mask); at += 64 {
		word := mask[at>>6]
		if at < first {
			word &= ^uint64(0) << (first - at)
		}
		if at+64 > last {
			word &= 1<<(last-at) - 1
		}
		for ; word != 0; word &= word - 1 {
			row := at + bits.TrailingZeros64(word)
			if g := s.grade(q, row); g >= floor {
				found.Add(graded{g, uint32(row)})
				if worst, full := found.Worst(); full {
					floor = worst.grade
				}
			}
		}
	}
	return floor
}

// hits turns the best rows of each question into hits.
func (s *Set) hits(found []tops) [][]Hit {
	all := make([][]Hit, len(found))
	for i := range found {
		list := found[i].Sorted()
		all[i] = make([]Hit, len(list))
		for j, g := range list {
			all[i][j] = Hit{int(g.row), s.digests[g.row], g.grade.cosine()}
		}
	}
	return all
}
