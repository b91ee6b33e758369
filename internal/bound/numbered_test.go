// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNumbered compares a heap of numbers with a map while numbers come, change and go.
func TestNumbered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const numbers = 12
		draw := func() float64 { return float64(rapid.IntRange(0, 4).Draw(t, "rank")) }
		var h Numbered
		want := map[int]float64{}
		for round := range 2 { // the second uses the memory of the first
			h.Reset(numbers)
			clear(want)
			for i := range numbers * (1 + round) / 2 {
				if rapid.Bool().Draw(t, "is there") {
					want[i] = draw()
					h.Add(i, want[i])
				}
			}
			h.Init()
			for range rapid.IntRange(0, 40).Draw(t, "changes") {
				i := rapid.IntRange(0, numbers-1).Draw(t, "number")
				if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
					h.Remove(i)
					delete(want, i)
				} else {
					want[i] = draw()
					h.Set(i, want[i])
				}
			}
		}
		for _, i := range slices.SortedFunc(maps.Keys(want), func(a, b int) int { return cmp.Or(cmp.Compare(want[b], want[a]), cmp.Compare(a, b)) }) {
			if first, ok := h.First(); !ok || first != i {
				t.Fatalf("the first is %d, %v; want %d of %v", first, ok, i, want)
			}
			h.Remove(i)
		}
		if first, ok := h.First(); ok || slices.Max(h.slots) > 0 {
			t.Fatalf("%d is left, %v", first, h.slots)
		}
	})
}
