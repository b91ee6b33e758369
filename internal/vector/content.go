// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"encoding/binary"
	"math"

	"github.com/fovea-memory/fovea/merkle"
)

// content is the records of a file in memory: row i is record i.
type content struct {
	floats  matrix
	kinds   []kind
	digests []merkle.Digest
	index   *table
	live    Bitmap // rows with a vector
	counts  [failed + 1]int
	sample  sample
}

func newContent(dim int) content { return content{floats: newMatrix(dim), index: newTable(0)} }

// find returns the row of a digest that is stored or failed.
func (c *content) find(d *merkle.Digest) (int, bool) {
	return c.index.find(d, c.digests, func(row int) bool { return c.kinds[row] != erased })
}

// next returns the floats of the next row, which are zeros.
func (c *content) next() []float32 {
	c.floats.reserve(len(c.kinds) + 1)
	return c.floats.row(len(c.kinds))
}

// enter makes the next row, whose vector is in place, one of the given kind.
func (c *content) enter(k kind, d merkle.Digest) {
	row := len(c.kinds)
	c.kinds = append(c.kinds, k)
	c.digests = append(c.digests, d)
	c.counts[k]++
	switch {
	case k == erased:
		return
	case k == stored:
		c.live.Add(row)
	}
	if 2*len(c.kinds) <= len(c.index.slots) {
		c.index.add(&d, row)
		return
	}
	c.index = newTable(2 * len(c.kinds)) // readers keep the old one
	for i := range c.digests {
		if c.kinds[i] != erased {
			c.index.add(&c.digests[i], i)
		}
	}
}

// forget makes a row one without content.
func (c *content) forget(row int) {
	if c.kinds[row] == stored {
		c.live.remove(row)
	}
	c.counts[c.kinds[row]]--
	c.counts[erased]++
	c.kinds[row] = erased
}

// rebias moves an exponent between the biases of half and single precision.
const rebias = 0x1p112

// putHalf writes x, whose absolute value is at most 1, as an IEEE 754 half, rounded to
// nearest even.
func putHalf(to []byte, x float32) {
	bits := math.Float32bits(x)
	sign := bits >> 16 & 0x8000
	scaled := math.Float32bits(math.Float32frombits(bits&^(1<<31)) / rebias)
	binary.LittleEndian.PutUint16(to, uint16(sign|(scaled+0xfff+scaled>>13&1)>>13))
}

// getHalf reads a half. Infinities and NaN, which putHalf never writes, become finite.
func getHalf(from []byte) float32 {
	bits := uint32(binary.LittleEndian.Uint16(from))
	magnitude := math.Float32frombits(bits&0x7fff<<13) * rebias
	return math.Float32frombits(math.Float32bits(magnitude) | bits&0x8000<<16)
}
