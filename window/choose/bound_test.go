// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package choose

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFillIsSorting compares the choice without sorting with taking sorted steps in turn.
func TestFillIsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOf(rapid.Custom(func(t *rapid.T) hullStep {
			return hullStep{value: float64(rapid.IntRange(0, 6).Draw(t, "value")), tokens: float64(rapid.IntRange(1, 6).Draw(t, "tokens"))}
		})).Draw(t, "steps")
		budget := rapid.Float64Range(0, 100).Draw(t, "budget")
		sorted := slices.Clone(steps)
		slices.SortFunc(sorted, func(a, b hullStep) int { return cmp.Compare(b.value*a.tokens, a.value*b.tokens) })
		want, left := 0.0, budget
		for _, s := range sorted {
			part := min(1, left/s.tokens)
			want, left = want+part*s.value, left-part*s.tokens
		}
		if got := fill(steps, budget); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v tokens hold %v, want %v", budget, got, want)
		}
	})
}
