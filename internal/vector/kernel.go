// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"math"

	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
)

// dot is the scalar product of two slices of one length, which is not 0.
var dot = func() func(x, y []float32) float32 {
	if vek.Info().Acceleration {
		return vek32.Dot
	}
	return plainDot
}()

// plainDot is dot for any processor: eight sums, so that no addition waits for the last.
func plainDot(x, y []float32) float32 {
	var a, b, c, d, e, f, g, h float32
	for len(x) >= 8 && len(y) >= 8 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		e += x[4] * y[4]
		f += x[5] * y[5]
		g += x[6] * y[6]
		h += x[7] * y[7]
		x, y = x[8:], y[8:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + e) + (b + f) + ((c + g) + (d + h))
}

// A grade is a cosine in steps of 1/gradeUnit, from 0 for -gradeZero/gradeUnit. Rows rank by grades.
type grade uint32

const (
	gradeUnit = 1 << 16
	gradeZero = 2 * gradeUnit
)

// gradeOf rounds a cosine, whose absolute value is less than 2.
func gradeOf(cosine float32) grade { return grade(cosine*gradeUnit + (gradeZero + .5)) }

// cosine returns the rounded cosine, within [-1, 1].
func (g grade) cosine() float32 {
	return min(1, max(-1, (float32(g)-gradeZero)/gradeUnit))
}

// unit writes v, scaled to length 1, to the front of to. It reports whether v has a direction: no
// infinity, no NaN, not only zeros.
func unit(to, v []float32) bool {
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x))) // NaN stays NaN
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return false
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		to[i] = float32(float64(x) * scale)
	}
	return true
}
