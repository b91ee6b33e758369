// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// placesOf lists the positions of each row of a table that is kept.
func placesOf(x *near) map[int][]uint32 {
	out := map[int][]uint32{}
	for row := range x.first {
		for pos := x.first[row]; pos > 0; pos = x.next[pos-1] {
			out[row] = append(out[row], pos-1)
		}
		slices.Sort(out[row])
	}
	return out
}

// TestNearFollows proves that the table of rows is the same whether it is built fresh or from
// the one of earlier words and an earlier set, whatever changes in between: files, vectors that
// come and go, and a store that was reopened.
func TestNearFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := faultfs.New()
		store, err := vector.Open(in, vector.Model{Fingerprint: "m", Dim: meaningDim})
		if err != nil {
			t.Fatal(err)
		}
		state := graph.Empty(document.Formats{org.Format{}})
		words := IndexWords(state)
		known := map[merkle.Digest]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				path := fmt.Sprintf("f%d.org", rapid.IntRange(0, 3).Draw(t, "file"))
				draft := state.Edit(1)
				var text strings.Builder
				for range rapid.IntRange(0, 5).Draw(t, "notes") {
					fmt.Fprintf(&text, "* note\n%d\n", rapid.IntRange(0, 6).Draw(t, "note"))
				}
				if text.String() == "" {
					draft.Drop(path)
				} else {
					draft.Put(path, document.File(text.String(), false))
				}
				next, delta := draft.Seal()
				state, words = next, words.Update(next, delta.Changes, delta.Paths)
			case 2:
				for n := range state.All() {
					if rapid.Bool().Draw(t, "embed") {
						if err := store.Put([]vector.Item{{Digest: n.Own, Vector: randomVector(n.Body() + n.Title())}}); err != nil {
							t.Fatal(err)
						}
						known[n.Own] = true
					}
				}
			case 3:
				var gone []merkle.Digest
				for d := range known {
					gone = append(gone, d)
				}
				slices.SortFunc(gone, func(a, b merkle.Digest) int { return slices.Compare(a[:], b[:]) })
				gone = gone[:len(gone)/2]
				if _, err := store.Retain(func(d merkle.Digest) bool { return !slices.Contains(gone, d) }); err != nil {
					t.Fatal(err)
				}
			case 4: // another store has other rows
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
				if store, err = vector.Open(in, vector.Model{Fingerprint: "m", Dim: meaningDim}); err != nil {
					t.Fatal(err)
				}
			}
			set := store.View()
			if rapid.Bool().Draw(t, "ask") {
				got, want := words.near(set), newNear(set, words, nil)
				if got.rows != want.rows || !slices.Equal(got.keep, want.keep) || fmt.Sprint(placesOf(got)) != fmt.Sprint(placesOf(want)) {
					t.Fatalf("%d rows at %v, made anew %d at %v", got.rows, placesOf(got), want.rows, placesOf(want))
				}
			}
		}
	})
}
