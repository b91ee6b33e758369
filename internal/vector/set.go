// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bytes"
	"math"
	"math/bits"
	"slices"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/merkle"
)

// Set is the rows of a store at one moment. It is immutable and safe for concurrent use, and needs no Close.
type Set struct {
	rows
	of    *Model  // of the store
	slack float32 // the greatest length of a row of the second plane
}

// Len returns how many rows have a vector.
func (s *Set) Len() int { return s.counts[stored] }

// Row returns the row of a digest that has a vector. O(1). It does not find a text that was removed and added again since.
func (s *Set) Row(d merkle.Digest) (int, bool) {
	row, ok := s.index.Load(d)
	if !ok || !s.live.Has(row.(int)) {
		return 0, false
	}
	return row.(int), true
}

// Has reports whether a row has a vector.
func (s *Set) Has(row int) bool { return s.live.Has(row) }

// IsOf reports whether a row means the same text in another Set, because both are of one store.
func (s *Set) IsOf(other *Set) bool { return s.of == other.of }

// Query is a question, ready to be compared with the rows of Sets of one model. It is immutable.
type Query struct {
	numbers []int16 // padded as rows are
	inverse float32 // one over their length
}

// Prepare makes a Query of a vector, which may have any length but zero. The vector is
// copied. One that has another length than the model's, is zero or has no finite values is fault.Invalid.
func (s *Set) Prepare(v []float32) (*Query, error) {
	unit, err := s.of.unit(v)
	if err != nil {
		return nil, fault.Wrap("compare vectors", "", fault.Invalid, err)
	}
	return s.ask(unit), nil
}

// Of returns the vector of a row as a Query: what is near that text?
func (s *Set) Of(row int) *Query {
	v := make([]float32, s.high.stride)
	low := s.low.row(row)
	for i, n := range s.high.row(row) {
		v[i] = float32(int32(n)<<coarseBits + int32(low[i]))
	}
	return s.ask(v)
}

func (s *Set) ask(v []float32) *Query {
	q := &Query{numbers: make([]int16, s.high.stride)}
	scale, sum := scaleOf(v, largestAsk(s.high.stride)), 0.0
	for i, x := range v {
		n := math.RoundToEven(float64(x) * scale)
		q.numbers[i] = int16(n)
		sum += n * n
	}
	q.inverse = float32(1 / math.Sqrt(sum))
	return q
}

// grade compares a row with a question.
func (s *Set) grade(q *Query, row int) grade {
	sum := int64(dot(q.numbers, s.high.row(row)))<<coarseBits + int64(dot(q.numbers, s.low.row(row)))
	return gradeOf(float32(sum) * q.inverse * s.inverse[row])
}

// Cosine compares a row with a question.
func (s *Set) Cosine(q *Query, row int) float32 { return s.grade(q, row).cosine() }

// maxGrade returns an upper bound of the grade of a row from its first plane: the second plane is at most as long as
// one of largest numbers.
func (s *Set) maxGrade(q *Query, row int) grade {
	sum := float32(int64(dot(q.numbers, s.high.row(row)))<<coarseBits) * q.inverse
	return gradeOf((sum + s.slack) * s.inverse[row])
}

// Chance is how near rows are to a question by chance: the median of their cosines, and
// their spread.
type Chance struct {
	Median float32
	MAD    float32 // median of the absolute deviations from the median
}

// Chance measures the rows of the sample: all of up to 2,048 rows, else 2,048 of them, chosen by digest.
func (s *Set) Chance(q *Query) Chance {
	cosines := make([]float32, len(s.sample))
	for i, row := range s.sample {
		cosines[i] = s.grade(q, int(row)).cosine()
	}
	return chanceOf(cosines)
}

// Between measures the rows of the sample against each other.
func (s *Set) Between() Chance {
	var cosines []float32
	for i, row := range s.sample {
		q := s.Of(int(row))
		for _, other := range s.sample[:i] {
			cosines = append(cosines, s.Cosine(q, int(other)))
		}
	}
	return chanceOf(cosines)
}

func chanceOf(cosines []float32) Chance {
	if len(cosines) == 0 {
		return Chance{}
	}
	median := middle(cosines)
	for i, x := range cosines {
		cosines[i] = max(x-median, median-x)
	}
	return Chance{median, middle(cosines)}
}

// middle sorts and returns the median, of an even number the mean of the two in the middle.
func middle(values []float32) float32 {
	slices.Sort(values)
	n := len(values)
	return (values[n/2] + values[n-1-n/2]) / 2
}

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

// All returns a copy of the set of rows that have a vector.
func (s *Set) All() Bitmap { return slices.Clone(s.live) }

// Best returns the k rows of keep that are nearest to a question, best first, equal ones by digest. It
// compares one plane of each row, and both if the row may be among the best. O(rows).
func (s *Set) Best(q *Query, keep Bitmap, k int) []Hit {
	found := bound.NewTop(k, func(a, b graded) bool {
		return a.grade < b.grade || a.grade == b.grade && bytes.Compare(s.digests[a.row][:], s.digests[b.row][:]) > 0
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
