// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"encoding/binary"
	"math"
)

const (
	lane       = 32 // numbers that are compared at once; rows are padded with zeros to a multiple
	coarseBits = 8  // that a number of the first plane is shifted by
	largestLow = 1 << (coarseBits - 1)
	largestRow = (largestLow - 1) << coarseBits
)

// largestAsk is the largest number of a question: the sum of its products with a plane fits an int32.
func largestAsk(stride int) float64 { return float64(min(math.MaxInt16, 1<<24/stride-1)) }

// scaleOf returns the factor that scales the largest number of a vector to largest; infinity for zeros.
func scaleOf(v []float32, largest float64) float64 {
	var size float32
	for _, x := range v {
		size = max(size, x, -x)
	}
	return largest / float64(size)
}

// encodeRow rounds a vector to integers of two bytes, and writes the planes of both: a number is that of high, shifted, plus
// that of low. It returns one over their length, or false for a vector of zeros.
func encodeRow(high, low []int8, v []float32) (inverse float32, ok bool) {
	scale, sum := scaleOf(v, largestRow), 0.0
	if math.IsInf(scale, 0) {
		return 0, false
	}
	for i, x := range v {
		n := int32(math.RoundToEven(float64(x) * scale))
		above := (n + largestLow) >> coarseBits
		high[i], low[i] = int8(above), int8(n-above<<coarseBits)
		sum += float64(n) * float64(n)
	}
	return float32(1 / math.Sqrt(sum)), true
}

// plainDot is dot for any processor.
func plainDot(query []int16, plane []int8) (sum int32) {
	query = query[:len(plane)]
	for i, n := range plane {
		sum += int32(query[i]) * int32(n)
	}
	return sum
}

// A grade is a cosine in steps of 1/gradeUnit, from 0 for -gradeZero/gradeUnit. Rows rank by grades.
type grade uint32

const (
	gradeUnit = 1 << 16
	gradeZero = 2 * gradeUnit
)

// gradeOf rounds a cosine, whose absolute value is less than 2. No processor fuses the product into the sum.
func gradeOf(cosine float32) grade { return grade(float32(cosine*gradeUnit) + (gradeZero + .5)) }

// cosine returns the rounded cosine, within [-1, 1].
func (g grade) cosine() float32 {
	return min(1, max(-1, (float32(g)-gradeZero)/gradeUnit))
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
