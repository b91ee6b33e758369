// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

const (
	lane       = 16       // floats in 64 bytes; a row is a multiple
	chunkBytes = 32 << 20 // of a chunk of rows, at most
	firstRows  = 64       // of a matrix that is new
)

// matrix holds rows of floats, padded with zeros to 64 bytes, in chunks that never move once
// there are several. A copy of a matrix stays valid while the original grows.
type matrix struct {
	stride int  // floats in a row
	shift  uint // 1<<shift rows are in a chunk
	chunks [][]float32
}

func newMatrix(dim int) matrix {
	m := matrix{stride: (dim + lane - 1) / lane * lane}
	for 4*m.stride<<(m.shift+1) <= chunkBytes {
		m.shift++
	}
	return m
}

// row returns row i, which there must be room for.
func (m *matrix) row(i int) []float32 {
	at := (i & (1<<m.shift - 1)) * m.stride
	return m.chunks[i>>m.shift][at : at+m.stride : at+m.stride]
}

// reserve makes room for n rows.
func (m *matrix) reserve(n int) {
	if len(m.chunks) < 2 { // the first chunk grows by copying
		have := 0
		if len(m.chunks) == 1 {
			have = len(m.chunks[0]) / m.stride
		}
		want := have
		for want < n && want < 1<<m.shift {
			want = min(max(firstRows, 2*want), 1<<m.shift)
		}
		if want > have {
			chunk := bound.Slab[float32](want * m.stride)
			if have > 0 {
				copy(chunk, m.chunks[0])
			}
			m.chunks = [][]float32{chunk}
		}
	}
	for len(m.chunks)<<m.shift < n && len(m.chunks[0]) == m.stride<<m.shift {
		m.chunks = append(m.chunks, bound.Slab[float32](m.stride<<m.shift))
	}
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
