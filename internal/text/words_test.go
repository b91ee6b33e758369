// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestFoldingKeepsWords: a text in lower case has its words at the same places, so that it can be
// kept in place of the text.
func TestFoldingKeepsWords(t *testing.T) {
	for r := range rune(unicode.MaxRune) + 1 {
		if low := unicode.ToLower(r); isWordRune(low) != isWordRune(r) || unicode.ToLower(low) != low {
			t.Errorf("%U becomes %U", r, low)
		}
	}
}

// TestSharedWords compares the search for words with one that splits the text.
func TestSharedWords(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "A", "Ä", "ä", "水", "-", " ", "\n", "1", "\xff", "ab", "aba", "İ", "é"})
	rapid.Check(t, func(t *rapid.T) {
		folded := strings.ToLower(strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "text"), ""))
		query := map[string]bool{}
		for _, word := range rapid.SliceOfN(rapid.SliceOfN(piece, 1, 3), 0, 20).Draw(t, "query") {
			for w := range allWords(strings.Join(word, "")) {
				query[w] = true
			}
		}
		got, want := SharedWords(folded, query), sharedOfMany(folded, query)
		if !slices.Equal(got, want) {
			t.Fatalf("%q shares %q with %v, want %q", folded, got, query, want)
		}
	})
}
