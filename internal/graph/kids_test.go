// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/merkle"
)

func TestDiffKids(t *testing.T) {
	for name, tc := range map[string]struct {
		old, now []string
		want     KidsEdit
	}{
		"same":         {[]string{"a", "b"}, []string{"a", "b"}, nil},
		"none":         {nil, nil, nil},
		"added behind": {[]string{"a", "b"}, []string{"a", "b", "c"}, KidsEdit{{2, nil, []string{"c"}}}},
		"first ones":   {nil, []string{"a"}, KidsEdit{{0, nil, []string{"a"}}}},
		"all left":     {[]string{"a", "b"}, nil, KidsEdit{{0, []string{"a", "b"}, nil}}},
		"renamed":      {[]string{"a", "b", "c"}, []string{"a", "x", "c"}, KidsEdit{{1, []string{"b"}, []string{"x"}}}},
		"moved":        {[]string{"a", "b", "c", "d"}, []string{"b", "c", "d", "a"}, KidsEdit{{0, []string{"a"}, nil}, {3, nil, []string{"a"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := DiffKids(tc.old, tc.now)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestKidsEditRoundTrip: an edit leads from one list to the other and back, also when it
// was written and read, takes nothing in that both lists have in a row, and is refused
// by a list that it is not of.
func TestKidsEditRoundTrip(t *testing.T) {
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}), 0, 12)
	same := func(t *rapid.T, want, got []string, err error) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		old, now := ids.Draw(t, "old"), ids.Draw(t, "now")
		edit := DiffKids(old, now)
		var read KidsEdit
		err := merkle.Decode(merkle.Encode(edit.code), read.code)
		if diff := cmp.Diff(edit, read); diff != "" || err != nil {
			t.Fatalf("read again: %v\n%s", err, diff)
		}
		got, err := read.Apply(old)
		same(t, now, got, err)
		got, err = read.Undo(now)
		same(t, old, got, err)
		most := 8 // what a list of splices and its first two lists take
		for _, id := range slices.Concat(old, now) {
			most += 1 + len(id)
		}
		if size := len(merkle.Encode(edit.code)); size > most+2*len(edit) {
			t.Fatalf("%d bytes for lists of %d", size, most)
		}
		other := ids.Draw(t, "other")
		if got, err := read.Apply(other); err == nil {
			back, err := read.Undo(got)
			same(t, other, back, err)
		} else if !errors.Is(err, ErrDelta) {
			t.Fatal(err)
		}
	})
}
