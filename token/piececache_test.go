// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestPieceCacheChangesNoCount: cached and repeated counts equal uncached ones, also
// for concurrent callers.
func TestPieceCacheChangesNoCount(t *testing.T) {
	v, err := o200kVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringMatching(" ?[a-zé]{2,12}"), 1, 40).Draw(t, "pieces")
		pieces = slices.Concat(pieces, pieces)
		r := new(pieceCache)
		var readers sync.WaitGroup
		wrong := make([]string, 3)
		for i := range wrong {
			readers.Go(func() {
				for _, piece := range pieces {
					if r.count(piece, v.countUncached) != v.countUncached(piece) || v.count(piece) != v.countUncached(piece) {
						wrong[i] = piece
					}
				}
			})
		}
		readers.Wait()
		for _, piece := range wrong {
			if piece != "" {
				t.Fatalf("%q counts otherwise", piece)
			}
		}
	})
}
