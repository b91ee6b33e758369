// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

const sampleRows = 2048

// rows are the records of a file in memory: row i is record i. A copy stays what it is while the
// original grows, but for kinds, live and counts.
type rows struct {
	high, low plane
	inverse   []float32 // one over the length, by row
	kinds     []kind
	digests   []merkle.Digest
	index     *table
	live      Bitmap // rows with a vector
	counts    [failed + 1]int

	// The sample is the rows with the lowest digests, in that order: as good as drawn at random, and
	// the same whatever order the rows came in.
	sample []uint32
	seen   int // rows that were considered for it
}

func newRows(dim int) rows {
	stride := (dim + lane - 1) / lane * lane
	return rows{high: plane{stride: stride}, low: plane{stride: stride}, index: newTable(0)}
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
	return r.index.find(d, r.digests, func(row int) bool { return r.kinds[row] != erased })
}

// enter makes the next row, whose numbers are in place, one of the given kind; inverse is one over their length.
func (r *rows) enter(k kind, d merkle.Digest, inverse float32) {
	row := len(r.kinds)
	r.kinds, r.digests, r.inverse = append(r.kinds, k), append(r.digests, d), append(r.inverse, inverse)
	r.counts[k]++
	switch {
	case k == erased:
		return
	case k == stored:
		r.live.Add(row)
	}
	if 2*len(r.kinds) <= len(r.index.slots) {
		r.index.add(&d, row)
		return
	}
	r.index = newTable(2 * len(r.kinds)) // readers keep the old one
	for i := range r.digests {
		if r.kinds[i] != erased {
			r.index.add(&r.digests[i], i)
		}
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

// draw brings the sample up to date. O(rows since the last time), or of all rows once one of the sample is gone.
func (r *rows) draw() {
	drawn, from := slices.Clone(r.sample), r.seen
	if slices.ContainsFunc(drawn, func(row uint32) bool { return !r.live.Has(int(row)) }) {
		drawn, from = nil, 0
	}
	order := func(a, b uint32) int { return cmp.Compare(string(r.digests[a][:]), string(r.digests[b][:])) }
	cut := func() {
		slices.SortFunc(drawn, order)
		drawn = drawn[:min(len(drawn), sampleRows)]
	}
	for row := from; row < len(r.kinds); row++ {
		if full := len(drawn) >= sampleRows; r.live.Has(row) && (!full || order(uint32(row), drawn[sampleRows-1]) < 0) {
			if drawn = append(drawn, uint32(row)); len(drawn) == sampleRows || len(drawn) == 2*sampleRows {
				cut()
			}
		}
	}
	cut()
	r.sample, r.seen = drawn, len(r.kinds)
}

// table finds rows by digest, by open addressing: digests are hashes already. One goroutine
// adds, others read. What was added is never removed; a reader passes over rows that it does
// not know.
type table struct{ slots []atomic.Uint32 } // a power of two; row + 1, or 0

func newTable(rows int) *table {
	size := 64
	for size < 2*rows {
		size *= 2
	}
	return &table{make([]atomic.Uint32, size)}
}

func slotOf(d *merkle.Digest) int { return int(binary.LittleEndian.Uint64(d[:]) >> 1) }

// add enters a row. The table must have a free slot.
func (t *table) add(d *merkle.Digest, row int) {
	for i := slotOf(d); ; i++ {
		if slot := &t.slots[i&(len(t.slots)-1)]; slot.Load() == 0 {
			slot.Store(uint32(row) + 1)
			return
		}
	}
}

// find returns the row of a digest for which has holds, among those of digests.
func (t *table) find(d *merkle.Digest, digests []merkle.Digest, has func(row int) bool) (int, bool) {
	for i := slotOf(d); ; i++ {
		row := int(t.slots[i&(len(t.slots)-1)].Load()) - 1
		if row < 0 {
			return 0, false
		}
		if row < len(digests) && digests[row] == *d && has(row) {
			return row, true
		}
	}
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
