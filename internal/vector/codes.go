// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"math"
	"math/bits"

	"github.com/fovea-memory/fovea/internal/bound"
)

const (
	nearWords = 8   // of a code, which are compared with those of every row
	radiusOne = 127 // steps of a radius, which is at most 2, per unit
)

// codes stand for the first rows of a Set: of each the signs of its rotated difference from
// the centre, and how long that difference is. The share of signs in which two differ, times π, is about
// the angle between them (M. Charikar, Similarity Estimation Techniques from Rounding
// Algorithms, 2002), which with the lengths gives about their cosine. Codes are immutable.
type codes struct {
	n        int // rows
	rows     int // of these, rows that had a vector
	rotation *rotation
	centre   []float32
	words    int      // of a code
	near     []uint64 // the first nearWords words, by row
	far      []uint64 // the others, by row
	radius   []uint8  // by row
	minR     uint8    // the smallest and the largest radius
	maxR     uint8
	sample   []uint32
	share    float64 // of rows to let pass by near, so that the best ten are among them
	wanted   int     // how many of these to choose by all words
}

// newCodes makes room for codes of the rows of a Set. Vectors that are short get codes of more signs than they have numbers.
func newCodes(s *Set) *codes {
	n, words := len(s.digests), max(nearWords, (s.model.Dim+63)/64)
	c := &codes{
		n: n, rows: s.size, rotation: newRotation(64 * words), centre: make([]float32, s.model.Dim), words: words, sample: s.sample,
		near: bound.Slab[uint64](nearWords * n), far: bound.Slab[uint64]((words - nearWords) * n), radius: bound.Slab[uint8](n), minR: math.MaxUint8,
	}
	for i := range c.centre { // in the order of digests, so that the sum is the same in every order of insertion
		var sum float64
		for _, row := range s.sample {
			sum += float64(s.floats.row(int(row))[i])
		}
		c.centre[i] = float32(sum / float64(len(s.sample)))
	}
	return c
}

// sign writes the code of a vector into words, and returns its distance from the centre. buffer has 64 numbers for each word.
func (c *codes) sign(v []float32, words []uint64, buffer []float32) float64 {
	clear(buffer)
	var sum float64
	for i, x := range c.centre {
		d := v[i] - x
		buffer[i] = d
		sum += float64(d) * float64(d)
	}
	c.rotation.apply(buffer)
	for i := range words {
		var word uint64
		for j, x := range buffer[64*i : 64*i+64] {
			word |= uint64(math.Float32bits(x)>>31) << j
		}
		words[i] = word
	}
	return math.Sqrt(sum)
}

// enter computes the code of a row.
func (c *codes) enter(row int, v []float32, words []uint64, buffer []float32) {
	r := uint8(min(math.MaxUint8, radiusOne*c.sign(v, words, buffer)+.5))
	copy(c.near[nearWords*row:], words[:nearWords])
	copy(c.far[(c.words-nearWords)*row:], words[nearWords:])
	c.radius[row] = r
	c.minR, c.maxR = min(c.minR, r), max(c.maxR, r)
}

// nearDistance is the number of signs in the first words that differ.
func nearDistance(a, b *[nearWords]uint64) int {
	return bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) + bits.OnesCount64(a[3]^b[3]) +
		bits.OnesCount64(a[4]^b[4]) + bits.OnesCount64(a[5]^b[5]) + bits.OnesCount64(a[6]^b[6]) + bits.OnesCount64(a[7]^b[7])
}

// plainDistances is distances for any processor.
func plainDistances(to *[64]uint16, near []uint64, words *[nearWords]uint64) {
	for i := range min(len(to), len(near)/nearWords) {
		to[i] = uint16(nearDistance(words, (*[nearWords]uint64)(near[nearWords*i:])))
	}
}

// levels is the number of levels of estimates.
const levels = 4096

// estimator turns codes into levels: the higher, the greater is likely the cosine of row and question.
type estimator struct {
	words  []uint64                   // the code of the question
	cos    []float32                  // by near distance: of the angle, times the length of the question's difference
	sums   [][256]float32             // by byte of a code: the sum of the question's numbers with its signs, scaled
	radius [math.MaxUint8 + 1]float32 // by its code
	low    float32                    // estimate at level 0
	scale  float32                    // levels per unit
}

func (c *codes) newEstimator(q *Query) *estimator {
	e := &estimator{words: make([]uint64, c.words), cos: make([]float32, 64*nearWords+1), sums: make([][256]float32, 8*c.words)}
	turned := make([]float32, 64*c.words)
	length := c.sign(q.vector, e.words, turned)
	for i := range e.cos {
		e.cos[i] = float32(length * math.Cos(math.Pi*float64(i)/(64*nearWords)))
	}
	// The sum of the question's numbers with the signs of a row is their product, times the mean size of a row's numbers.
	size := float32(math.Sqrt(math.Pi / 2 / float64(len(turned))))
	for i := range e.sums {
		sums := &e.sums[i]
		for _, x := range turned[8*i : 8*i+8] {
			sums[0] += x * size
		}
		for b := 1; b < len(sums); b++ {
			sums[b] = sums[b&(b-1)] - 2*size*turned[8*i+bits.TrailingZeros(uint(b))]
		}
	}
	for i := range e.radius {
		e.radius[i] = float32(i) / radiusOne
	}
	r := e.radius[c.maxR]
	e.low = -e.cos[0]*r - r*r/2
	e.scale = (levels - 1) / (e.cos[0]*r - e.low + 1e-6)
	return e
}

// level is that of a row of a radius. product is about that of the differences of question and row from the centre, per
// unit of the radius. Their cosine is, but for a constant of the question, the product less half the square of the radius.
func (e *estimator) level(product float32, radius uint8) int {
	r := e.radius[radius]
	return min(levels-1, max(0, int((product*r-r*r/2-e.low)*e.scale)))
}

// nearLevel is the level of a row by the first words of its code.
func (e *estimator) nearLevel(c *codes, row int) int {
	distance := nearDistance((*[nearWords]uint64)(e.words), (*[nearWords]uint64)(c.near[nearWords*row:]))
	return e.level(e.cos[distance], c.radius[row])
}

// product adds up the sums of words of a row's code, the first byte of which is number at. That of all words is about the
// product of the differences of question and row from the centre, per unit of the radius.
func (e *estimator) product(at int, words []uint64) float32 {
	var a, b float32
	for _, w := range words {
		sums := e.sums[at : at+8 : at+8]
		a += (sums[0][w&255] + sums[1][w>>8&255]) + (sums[2][w>>16&255] + sums[3][w>>24&255])
		b += (sums[4][w>>32&255] + sums[5][w>>40&255]) + (sums[6][w>>48&255] + sums[7][w>>56])
		at += 8
	}
	return a + b
}

// nearProduct is the part of a row's product that its near words have, farProduct that of the others.
func (e *estimator) nearProduct(c *codes, row int) float32 {
	return e.product(0, c.near[nearWords*row:][:nearWords])
}

func (e *estimator) farProduct(far []uint64) float32 { return e.product(8*nearWords, far) }

// farOf returns the other words of a row's code.
func (c *codes) farOf(row int) []uint64 {
	n := c.words - nearWords
	return c.far[n*row : n*(row+1)]
}
