// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bytes"
	"sync"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

const sampleRows = 2048

// rows are the records of a file in memory: row i is record i. A copy does not change while the
// original grows, except for kinds, live and counts.
type rows struct {
	high, low plane
	inverse   []float32 // one over the length, by row
	kinds     []kind
	digests   []merkle.Digest
	index     *sync.Map // the latest row by digest; entries are never removed
	live      Bitmap    // rows with a vector
	counts    [failed + 1]int

	// The sample is the rows with the lowest digests, in that order: like a random sample, but
	// independent of the order of insertion.
	sample []uint32
}

func newRows(dim int) rows {
	stride := (dim + lane - 1) / lane * lane
	return rows{high: plane{stride: stride}, low: plane{stride: stride}, index: new(sync.Map)}
}

// chunkRows is the number of rows in a chunk.
const chunkRows = 4096

// plane has a byte of each number of each row, in chunks that never move.
type plane struct {
	stride int // bytes of a row
	chunks [][]int8
}

// row returns a row, for which there is room.
func (p *plane) row(i int) []int8 {
	at := i % chunkRows * p.stride
	return p.chunks[i/chunkRows][at : at+p.stride : at+p.stride]
}

// next returns row i, which is the next one to be written.
func (p *plane) next(i int) []int8 {
	if i == chunkRows*len(p.chunks) {
		p.chunks = append(p.chunks, bound.Slab[int8](chunkRows*p.stride))
	}
	return p.row(i)
}

// find returns the row of a digest that is stored or failed.
func (r *rows) find(d *merkle.Digest) (int, bool) {
	row, ok := r.index.Load(*d)
	if !ok || r.kinds[row.(int)] == erased {
		return 0, false
	}
	return row.(int), true
}

// enter makes the next row, whose numbers are in place, one of the given kind; inverse is one over their length.
func (r *rows) enter(k kind, d merkle.Digest, inverse float32) {
	row := len(r.kinds)
	r.kinds, r.digests, r.inverse = append(r.kinds, k), append(r.digests, d), append(r.inverse, inverse)
	r.counts[k]++
	if k == stored {
		r.live.Add(row)
	}
	if k != erased {
		r.index.Store(d, row)
	}
}

// forget makes a row one without content.
func (r *rows) forget(row int) {
	if r.kinds[row] == stored {
		r.live.remove(row)
	}
	r.counts[r.kinds[row]]--
	r.counts[erased]++
	r.kinds[row] = erased
}

// draw brings the sample up to date. O(rows).
func (r *rows) draw() {
	top := bound.NewTop(sampleRows, func(a, b uint32) bool { return bytes.Compare(r.digests[a][:], r.digests[b][:]) > 0 }, nil)
	for row := range r.kinds {
		if r.live.Has(row) {
			top.Add(uint32(row))
		}
	}
	r.sample = top.Sorted()
}

// Bitmap is a set of rows. The zero Bitmap is empty.
type Bitmap []uint64

// Has reports whether the row is in the set.
func (b Bitmap) Has(row int) bool { return row>>6 < len(b) && b[row>>6]>>(row&63)&1 != 0 }

// Add puts the row into the set.
func (b *Bitmap) Add(row int) {
	for len(*b) <= row>>6 {
		*b = append(*b, 0)
	}
	(*b)[row>>6] |= 1 << (row & 63)
}

// remove takes the row, which must be in the set, out of it.
func (b Bitmap) remove(row int) { b[row>>6] &^= 1 << (row & 63) }
