// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"
	"testing"

	"github.com/kljensen/snowball/english"
	"pgregory.net/rapid"
)

// TestStemCacheMatchesStemmer includes words that share a slot.
func TestStemCacheMatchesStemmer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, word := range rapid.SliceOf(rapid.StringMatching("[a-c]{1,3}(ing|ed|ly|s|)")).Draw(t, "words") {
			if got, want := stems.stem([]byte(word)), english.Stem(word, true); got != want {
				t.Fatalf("the stem of %q is %q, want %q", word, got, want)
			}
		}
	})
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
