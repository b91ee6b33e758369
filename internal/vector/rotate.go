// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// A rotation turns vectors at random, the same for all: afterwards each number has an equal
// share in what tells vectors apart. It is random signs and a fast Hadamard transform, again and
// again (A. Andoni and others, Practical and Optimal LSH for Angular Distance, 2015). Where
// the length is no power of two, transforms of the first and of the last numbers, which overlap, take turns.
type rotation struct {
	signs [][]float32 // of each transform: 1 and -1
	block int         // numbers in a transform, a power of two
}

// newRotation makes the rotation of vectors of n numbers, at least 4.
func newRotation(n int) *rotation {
	r := &rotation{block: 1 << (bits.Len(uint(n)) - 1)}
	random := rand.New(rand.NewPCG(uint64(n), 0x666f766561))
	for len(r.signs) < 2 || n > r.block && len(r.signs) < 4 {
		signs := make([]float32, n)
		for i := range signs {
			signs[i] = 1 - 2*float32(random.IntN(2))
		}
		r.signs = append(r.signs, signs)
	}
	return r
}

// apply turns v in place. Lengths and angles stay what they are. O(n log n).
func (r *rotation) apply(v []float32) {
	scale := float32(1 / math.Sqrt(float64(r.block)))
	for step, signs := range r.signs {
		for i := range v {
			v[i] *= signs[i]
		}
		at := step % 2 * (len(v) - r.block)
		hadamard(v[at:at+r.block], scale)
	}
}

// hadamard is the fast Walsh-Hadamard transform of a power of two of numbers, at least 4, times scale.
func hadamard(v []float32, scale float32) {
	for q := v; len(q) >= 4; q = q[4:] { // the two smallest steps, and the scale
		a, b, c, d := q[0]+q[1], q[0]-q[1], q[2]+q[3], q[2]-q[3]
		q[0], q[1], q[2], q[3] = (a+c)*scale, (b+d)*scale, (a-c)*scale, (b-d)*scale
	}
	for step := 4; step < len(v); step *= 2 {
		for at := 0; at < len(v); at += 2 * step {
			low, high := v[at:at+step], v[at+step:at+2*step]
			for i, x := range low {
				y := high[i]
				low[i], high[i] = x+y, x-y
			}
		}
	}
}
