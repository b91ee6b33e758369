// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// layers are states, the lowest first, of which each document is seen as the
// highest has it.
type layers []*graph.State

func (l layers) adopt(d *graph.Draft, path string) {
	for i := len(l) - 1; i >= 0; i-- {
		if nodes := l[i].Nodes(path); nodes != nil || i == 0 {
			d.Adopt(path, nodes, i)
			return
		}
	}
}

// laid composes the layers from nothing.
func (l layers) laid() *graph.State {
	paths := map[string]bool{}
	for _, s := range l {
		for _, p := range s.Paths() {
			paths[p] = true
		}
	}
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(paths))) { // an order unlike that of the model
		l.adopt(d, p)
	}
	s, _ := d.Seal()
	return s
}

func ids(s *graph.State) map[string]string {
	out := map[string]string{}
	for n := range s.All() {
		out[n.ID] = fmt.Sprintf("%s %s %d", n.Path, n.Title(), s.Rank(n.Path))
	}
	return out
}

// TestAdoptModel changes layers at random and keeps what lies over each other up
// to date by the changed documents alone: it stays what composing anew gives, an id
// that several claim goes to the highest, and the untouched layers do not change.
func TestAdoptModel(t *testing.T) {
	paths := []string{"a.org", "b.org", "agents/c.org", "d.org"}
	rapid.Check(t, func(t *rapid.T) {
		l := layers{{}, {}, {}}
		laid := graph.Empty(document.Formats{org.Format{}})
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			i := rapid.IntRange(0, len(l)-1).Draw(t, "layer")
			path := rapid.SampledFrom(paths).Draw(t, "path")
			d := l[i].Edit(1)
			if rapid.IntRange(0, 4).Draw(t, "drop") == 0 {
				d.Drop(path)
			} else {
				var text strings.Builder
				for range rapid.IntRange(0, 3).Draw(t, "headlines") {
					text.WriteString("* " + rapid.SampledFrom([]string{"A", "B"}).Draw(t, "title") + "\n")
					if id := rapid.SampledFrom([]string{"", "one", "two", "three"}).Draw(t, "id"); id != "" {
						text.WriteString(":PROPERTIES:\n:ID: " + id + "\n:END:\n")
					}
				}
				d.Put(path, document.File(text.String(), false))
			}
			before := l[i]
			l[i], _ = d.Seal()
			over := laid.Edit(1)
			for _, p := range graph.Diff(before, l[i]).Paths {
				l.adopt(over, p)
			}
			laid, _ = over.Seal()
		}
		fresh := l.laid()
		if diff := cmp.Diff(ids(fresh), ids(laid)); diff != "" {
			t.Fatal(diff)
		}
		if laid.Root() != fresh.Root() {
			t.Fatal("another root than that of composing anew")
		}
		for id := range ids(laid) {
			n, _ := laid.Get(id)
			for i := range l {
				if o, ok := l[i].Get(id); ok && i > laid.Rank(n.Path) && n.ClaimedID() == id && !covered(l, i, o.Path) {
					t.Fatalf("%s is borne by %s, though %s of a higher layer claims it", id, n.Path, o.Path)
				}
			}
		}
	})
}

// covered reports whether a layer above i has the document.
func covered(l layers, i int, path string) bool {
	return slices.ContainsFunc(l[i+1:], func(s *graph.State) bool { return s.Nodes(path) != nil })
}

// Nodes that keep their ids are shared with the state they come from.
func TestAdoptShares(t *testing.T) {
	d := graph.Empty(document.Formats{org.Format{}}).Edit(7)
	d.Put("a.org", document.File("* One\n* Two\n", false))
	upper, _ := d.Seal()
	over := graph.Empty(document.Formats{org.Format{}}).Edit(9)
	over.Adopt("a.org", upper.Nodes("a.org"), 1)
	laid, delta := over.Seal()
	if len(delta.Changes) != 3 {
		t.Errorf("%d changes", len(delta.Changes))
	}
	for n := range upper.All() {
		if got, _ := laid.Get(n.ID); got != n {
			t.Errorf("%s is another object", n.ID)
		}
	}
}
