// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"encoding/binary"
	"math"
)

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
