// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"slices"
	"testing"
)

// TestSharedWords: whole words, in any case and of any script, in the order of the text and each once.
func TestSharedWords(t *testing.T) {
	query := map[string]bool{"ab": true, "ä": true, "水": true, "1": true, "é": true, "absent": true}
	got := SharedWords("É-aba Ab, 水\n\xffÄ ab 12 1. é", query)
	if want := []string{"é", "ab", "水", "ä", "1"}; !slices.Equal(got, want) {
		t.Errorf("shared %q, want %q", got, want)
	}
}
