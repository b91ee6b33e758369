// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/merkle"
)

// sampleRows is the number of rows of a sample.
const sampleRows = 2048

// sample is the rows with the lowest digests, in that order: as good as drawn at random, and
// the same whatever order the rows came in.
type sample struct {
	rows []uint32
	seen int // rows that were considered
}

// Set is the rows of a store at one moment. It is immutable and safe for concurrent use, and needs no Close.
type Set struct {
	model   Model
	floats  matrix
	digests []merkle.Digest
	index   *table
	live    Bitmap
	size    int
	sample  []uint32
	codes   *codes
	epoch   int
}

// view makes a Set of what there is. s.mu is held.
func (s *Store) view() *Set {
	if set := s.set.Load(); set != nil {
		return set
	}
	c := &s.rows
	c.draw()
	set := &Set{
		model: s.model, floats: c.floats, digests: c.digests, index: c.index, live: slices.Clone(c.live), size: c.counts[stored],
		sample: c.sample.rows, codes: s.codes, epoch: s.epoch,
	}
	s.set.Store(set)
	return set
}

// draw brings the sample up to date. O(rows since the last time), or of all rows once one of the sample is gone.
func (c *content) draw() {
	rows, from := slices.Clone(c.sample.rows), c.sample.seen
	if slices.ContainsFunc(rows, func(row uint32) bool { return !c.live.Has(int(row)) }) {
		rows, from = nil, 0
	}
	order := func(a, b uint32) int { return cmp.Compare(string(c.digests[a][:]), string(c.digests[b][:])) }
	cut := func() {
		slices.SortFunc(rows, order)
		rows = rows[:min(len(rows), sampleRows)]
	}
	for row := from; row < len(c.kinds); row++ {
		if full := len(rows) >= sampleRows; c.live.Has(row) && (!full || order(uint32(row), rows[sampleRows-1]) < 0) {
			if rows = append(rows, uint32(row)); len(rows) == sampleRows || len(rows) == 2*sampleRows {
				cut()
			}
		}
	}
	cut()
	c.sample = sample{rows, len(c.kinds)}
}

// Len returns how many rows have a vector.
func (s *Set) Len() int { return s.size }

// Row returns the row of a digest that has a vector. O(1).
func (s *Set) Row(d merkle.Digest) (int, bool) {
	return s.index.find(&d, s.digests, s.live.Has)
}

// Has reports whether a row has a vector. A row of an earlier Set means the same text as long
// as Numbers returns the same of both.
func (s *Set) Has(row int) bool { return s.live.Has(row) }

// Numbers identifies the numbering of rows, which changes when the store is emptied or its
// file is written anew.
func (s *Set) Numbers() any { return numbers{s.index, s.epoch} }

type numbers struct {
	index *table
	epoch int
}

// Digest returns the own digest of the text of a row, which must be one that Row or Best returned.
func (s *Set) Digest(row int) merkle.Digest { return s.digests[row] }

// Vector returns the vector of a row, which must be one that Row or Best returned. Its
// length is 1 within 1/2048. The caller must not change it.
func (s *Set) Vector(row int) []float32 { return s.floats.row(row)[:s.model.Dim:s.model.Dim] }

// Query is a question, ready to be compared with the rows of Sets of one model. It is immutable.
type Query struct {
	vector []float32 // of length 1, padded as rows are
}

// Prepare makes a Query of a vector, which may have any length but zero. The vector is
// copied. One that has another length than the model's, is zero or has no finite values is fault.Invalid.
func (s *Set) Prepare(v []float32) (*Query, error) {
	if len(v) != s.model.Dim {
		err := fmt.Errorf("a question of %d numbers, want %d: embed it with the model of the notes", len(v), s.model.Dim)
		return nil, fault.Wrap("compare vectors", "", fault.Invalid, err)
	}
	q := &Query{make([]float32, s.floats.stride)}
	if !unit(q.vector, v) {
		return nil, fault.Wrap("compare vectors", "", fault.Invalid, errDirection)
	}
	return q, nil
}

// Of returns the vector of a row as a Query: what is near that text?
func (s *Set) Of(row int) *Query { return &Query{s.floats.row(row)} }

// Dots writes the cosine of each of the given rows into out, which must be as long. O(rows).
func (s *Set) Dots(q *Query, rows []uint32, out []float32) {
	for i, row := range rows {
		out[i] = s.grade(q, int(row)).cosine()
	}
}

func (s *Set) grade(q *Query, row int) grade { return gradeOf(dot(q.vector, s.floats.row(row))) }

// Chance is how near rows are to a question by chance: the middle of their cosines, and how
// far these spread.
type Chance struct {
	Median float32
	MAD    float32 // median of the absolute deviations from the median
	Rows   int     // how many were measured
}

// Chance measures the rows of the sample: all of up to 2,048 rows, else 2,048 of them, chosen by digest.
func (s *Set) Chance(q *Query) Chance {
	cosines := make([]float32, len(s.sample))
	if len(cosines) == 0 {
		return Chance{}
	}
	s.Dots(q, s.sample, cosines)
	median := middle(cosines)
	for i, x := range cosines {
		cosines[i] = max(x-median, median-x)
	}
	return Chance{median, middle(cosines), len(cosines)}
}

// middle sorts and returns the median, of an even number the mean of the two in the middle.
func middle(values []float32) float32 {
	slices.Sort(values)
	n := len(values)
	return (values[n/2] + values[n-1-n/2]) / 2
}
