// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/fault"
)

func TestCosine(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []float64
		want float64
	}{
		"same direction":     {[]float64{1, 2, 3}, []float64{2, 4, 6}, 1},
		"opposite":           {[]float64{1, 0}, []float64{-3, 0}, -1},
		"at right angles":    {[]float64{1, 0}, []float64{0, 1}, 0},
		"half a right angle": {[]float64{1, 0}, []float64{1, 1}, math.Sqrt2 / 2},
		"missing":            {nil, []float64{1}, 0},
		"both empty":         {[]float64{}, nil, 0},
		"zero":               {[]float64{0, 0}, []float64{1, 1}, 0},
		"not a number":       {[]float64{math.NaN(), 1}, []float64{1, 1}, 0},
		"infinite":           {[]float64{math.Inf(1), 1}, []float64{1, 1}, 0},
		"squares overflow":   {[]float64{1e300, 1e300}, []float64{1e300, 1e300}, 1},
		"squares vanish":     {[]float64{1e-300, 0}, []float64{1e-300, 0}, 1},
	} {
		got, err := Cosine(c.a, c.b)
		if err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: got %v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := Cosine([]float32{1}, []float32{1, 2}); !errors.Is(err, ErrDimension) || fault.KindOf(err) != fault.Invalid {
		t.Errorf("unequal lengths: %v", err)
	}
}

// TestCosineIsExact compares with sums of exact rationals.
func TestCosineIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		draw := rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), n, n)
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		dot, normA, normB := new(big.Rat), new(big.Rat), new(big.Rat)
		for i := range a {
			x, y := new(big.Rat).SetFloat64(float64(a[i])), new(big.Rat).SetFloat64(float64(b[i]))
			dot.Add(dot, new(big.Rat).Mul(x, y))
			normA.Add(normA, new(big.Rat).Mul(x, x))
			normB.Add(normB, new(big.Rat).Mul(y, y))
		}
		want := 0.0
		if normA.Sign() > 0 && normB.Sign() > 0 {
			float := func(r *big.Rat) *big.Float { return new(big.Float).SetPrec(200).SetRat(r) }
			norms := new(big.Float).Mul(new(big.Float).Sqrt(float(normA)), new(big.Float).Sqrt(float(normB)))
			want, _ = new(big.Float).Quo(float(dot), norms).Float64()
		}
		if got, err := Cosine(a, b); err != nil || math.Abs(got-want) > 1e-13 {
			t.Fatalf("got %v, %v; want %v", got, err, want)
		}
	})
}

func TestUnit(t *testing.T) {
	for name, v := range map[string][]float32{
		"zero": {0, 0}, "empty": {}, "not a number": {1, float32(math.NaN())}, "infinite": {1, float32(math.Inf(-1))},
	} {
		if err := unit(v); !errors.Is(err, ErrVector) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, v := range [][]float32{{3, 4}, {math.MaxFloat32, math.MaxFloat32}, {math.SmallestNonzeroFloat32, 0}} {
		if err := unit(v); err != nil || !hasNormOne(v) {
			t.Errorf("%v, %v", v, err)
		}
	}
}

func hasNormOne(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Abs(sum-1) < 1e-5
}
