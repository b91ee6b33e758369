// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

// Hit is a row that is near a question.
type Hit struct {
	Row    int
	Digest merkle.Digest
	Cosine float32 // a multiple of 1/65536, within [-1, 1]
}

// graded is a row with its grade.
type graded struct {
	grade grade
	row   int
}

// All returns the rows that have a vector, as a Bitmap of the caller's.
func (s *Set) All() Bitmap { return slices.Clone(s.live) }

// Best returns the k rows nearest to a question, best first, equal ones by digest. keep holds the
// rows that may be among them. Each is compared by one plane, and by both if it may be among the best. O(rows).
func (s *Set) Best(q *Query, keep Bitmap, k int) []Hit {
	found := bound.NewTop(k, func(a, b graded) bool {
		if a.grade != b.grade {
			return a.grade < b.grade
		}
		return bytes.Compare(s.digests[a.row][:], s.digests[b.row][:]) > 0
	}, nil)
	var floor grade // below it nothing is among the best
	for at := range min(len(keep), len(s.live)) {
		for word := keep[at] & s.live[at]; word != 0; word &= word - 1 {
			row := 64*at + bits.TrailingZeros64(word)
			if s.maxGrade(q, row) < floor {
				continue
			}
			found.Add(graded{s.grade(q, row), row})
			if worst, full := found.Worst(); full {
				floor = worst.grade
			}
		}
	}
	best := found.Sorted()
	hits := make([]Hit, len(best))
	for i, g := range best {
		hits[i] = Hit{g.row, s.digests[g.row], g.grade.cosine()}
	}
	return hits
}
