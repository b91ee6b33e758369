// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/kljensen/snowball/english"
	"pgregory.net/rapid"
)

// TestStemCacheMatchesStemmer asks for twice as many words as the cache has slots, so
// that words share slots, and for each word again.
func TestStemCacheMatchesStemmer(t *testing.T) {
	for n := range 2 * len(stems.slots) {
		word := fmt.Sprintf("w%xing", n)
		want := english.Stem(word, true)
		for range 2 {
			if got := stems.stem([]byte(word)); got != want {
				t.Fatalf("the stem of %q is %q, want %q", word, got, want)
			}
		}
	}
}

func TestNthMatchesSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{0.1, 0.5, 1, 1.5, 2, 3, 7}), 1, 60).Draw(t, "values")
		n := rapid.IntRange(0, len(values)-1).Draw(t, "n")
		sorted := slices.SortedFunc(slices.Values(values), func(a, b float64) int { return cmp.Compare(b, a) })
		if got := nth(values, n); got != sorted[n] {
			t.Fatalf("place %d of %v: got %v", n, sorted, got)
		}
	})
}
