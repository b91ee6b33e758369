// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestHalves reads every half, writes it again, and rounds what lies between two neighbours.
func TestHalves(t *testing.T) {
	var b [2]byte
	last := float32(0)
	for bits := range uint16(0x3c01) { // up to 1.0
		binary.LittleEndian.PutUint16(b[:], bits)
		x := getHalf(b[:])
		exponent, mantissa := int(bits>>10), float64(bits&0x3ff)
		want := math.Ldexp(1024+mantissa, exponent-25)
		if exponent == 0 {
			want = math.Ldexp(mantissa, -24)
		}
		if float64(x) != want {
			t.Fatalf("half %#04x reads %v, want %v", bits, x, want)
		}
		for _, sign := range []float32{1, -1} {
			putHalf(b[:], sign*x)
			if got := getHalf(b[:]); got != sign*x {
				t.Fatalf("%v comes back as %v", sign*x, got)
			}
			putHalf(b[:], sign*(last+(x-last)*.75))
			if got := getHalf(b[:]); exponent > 0 && got != sign*x {
				t.Fatalf("three quarters of the way from %v to %v is %v", last, x, got)
			}
		}
		last = x
	}
}

// TestDot compares the sum of this machine and the plain one with one number by number, of the largest numbers too.
func TestDot(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := lane; n <= MaxDim; n += lane * (1 + n/1000) {
		query, plane, ask := make([]int16, n), make([]int8, n), int(largestAsk(n))
		for i := range plane {
			query[i], plane[i] = int16(r.IntN(2*ask+1)-ask), int8(r.IntN(256)-largestLow)
			if n%3 == 0 {
				query[i], plane[i] = int16(ask), -largestLow
			}
		}
		var want int64
		for i := range plane {
			want += int64(query[i]) * int64(plane[i])
		}
		if got, plain := dot(query, plane), plainDot(query, plane); int64(got) != want || int64(plain) != want {
			t.Errorf("%d numbers: %d and %d, want %d", n, got, plain, want)
		}
	}
	ask := largestAsk(MaxDim)
	query, plane := slices.Repeat([]int16{int16(ask)}, MaxDim), slices.Repeat([]int8{-largestLow}, MaxDim)
	if got := dot(query, plane); float64(got) != -ask*largestLow*MaxDim {
		t.Errorf("the largest sum is %d", got)
	}
}

func TestGrades(t *testing.T) {
	for _, x := range []float32{-1.0005, -1, -.5, -1e-6, 0, 1e-6, .25, .99999, 1, 1.0005} {
		want := float32(math.Floor(float64(min(1, max(-1, x)))*gradeUnit+.5) / gradeUnit)
		if got := gradeOf(x).cosine(); got != want {
			t.Errorf("grade of %v is %v, want %v", x, got, want)
		}
	}
	if gradeOf(.5) >= gradeOf(.50002) || gradeOf(-.5) <= gradeOf(-.50002) {
		t.Error("grades do not ascend with cosines")
	}
}

// TestEncodeRow: the planes are those of the numbers, to one half of the last one, and no number of a plane is too large.
func TestEncodeRow(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 2, 31, 100, MaxDim} {
		v, high, low := gauss(r, n), make([]int8, n), make([]int8, n)
		inverse, ok := encodeRow(high, low, v)
		largest := max(slices.Max(v), -slices.Min(v))
		var length float64
		for i, x := range v {
			got := 256*float64(high[i]) + float64(low[i])
			if length += got * got; math.Abs(got-float64(x)/float64(largest)*largestRow) > .51 {
				t.Errorf("%d numbers: %v is %v", n, x/largest, got/largestRow)
			}
		}
		if !ok || math.Abs(float64(inverse)*math.Sqrt(length)-1) > 1e-6 {
			t.Errorf("%d numbers: one over the length is %v, want %v", n, inverse, 1/math.Sqrt(length))
		}
	}
	if _, ok := encodeRow([]int8{0}, []int8{0}, []float32{0}); ok {
		t.Error("zeros have a direction")
	}
}

// TestUnit scales vectors of extreme lengths, and refuses those without direction.
func TestUnit(t *testing.T) {
	two := Model{"two", 2}
	for _, v := range [][]float32{{3e38, 3e38}, {1e-45, 1e-45}, {1, 1}} {
		if to := must1(two.unit(v)); math.Abs(float64(to[0])-math.Sqrt2/2) > 1e-6 || to[0] != to[1] {
			t.Errorf("unit of %v is %v", v, to)
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, v := range [][]float32{{0, 0}, {nan, 1}, {1, nan}, {inf, 1}, {1, inf}, {1}, {1, 2, 3}} {
		if to, err := two.unit(v); err == nil {
			t.Errorf("%v has a direction: %v", v, to)
		}
	}
}

func gauss(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// TestFormatPages compares the page of vectors with the code.
func TestFormatPages(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/vectors.md", map[string]int{
		"headerMagicAt": headerMagicAt, "headerMajorAt": headerMajorAt, "headerMinorAt": headerMinorAt, "headerDimAt": headerDimAt,
		"headerFingerprintAt": headerFingerprintAt, "headerLabelAt": headerLabelAt, "headerCheckAt": headerCheckAt, "headerSize": headerSize,
		"recordKindAt": recordKindAt, "recordDigestAt": recordDigestAt, "recordVectorAt": recordVectorAt,
	}, fileMagic)
}
