// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"testing"

	"github.com/kljensen/snowball/english"
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
