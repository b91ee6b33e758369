// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// copied is the state of a file of n headlines with ids and of a copy of it:
// every id is contested.
func copied(n int) *graph.State {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "* h\n:PROPERTIES:\n:ID: id-%d\n:END:\n", i)
	}
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	d.Put("a.org", document.File(b.String(), false))
	d.Put("b.org", document.File(b.String(), false))
	s, _ := d.Seal()
	return s
}

// A state that comes from an image settles the contests as the one it was
// made of: after the bearers' file is gone, the copy bears all ids in both.
func TestContestAfterImage(t *testing.T) {
	live := copied(50)
	loaded, _, err := graph.Decode(bare(live.Encode(1, 64)), document.Formats{org.Format{}})
	if err != nil {
		t.Fatal(err)
	}
	drop := func(s *graph.State) *graph.State {
		d := s.Edit(2)
		d.Drop("a.org")
		s, _ = d.Seal()
		return s
	}
	a, b := drop(live), drop(loaded)
	if a.Root() != b.Root() {
		t.Errorf("roots differ: %s live, %s from the image", a.Root(), b.Root())
	}
	for i := range 50 {
		if n, ok := b.Get(fmt.Sprintf("id-%d", i)); !ok || n.Path != "b.org" {
			t.Fatalf("id-%d is not borne by the copy", i)
		}
	}
}

// bare takes the derived sections away.
func bare(parts []graph.Part) []graph.Part {
	for i := range parts {
		parts[i].Derived = nil
	}
	return parts
}

// Both ways are linear in the number of contested ids.
func BenchmarkContest(b *testing.B) {
	for _, n := range []int{2_000, 20_000} {
		b.Run(fmt.Sprintf("ingest/%d", n), func(b *testing.B) {
			for b.Loop() {
				copied(n)
			}
		})
		b.Run(fmt.Sprintf("load/%d", n), func(b *testing.B) {
			s := copied(n)
			parts := s.Encode(1<<20, 64)
			for b.Loop() {
				if _, _, err := graph.Decode(parts, document.Formats{org.Format{}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
