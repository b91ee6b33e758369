// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/window"
)

// fewLetters gives so few handles that most nodes share the first letters of theirs.
func fewLetters(id string) string {
	sum := 0
	for _, b := range []byte(id) {
		sum += int(b)
	}
	return strings.Repeat(string(rune('a'+sum%7)), 13)
}

// layerNotes is a file of notes, some by agents, below headings whose tags they inherit.
func layerNotes(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#+TITLE: File %s\n#+FILETAGS: :f%d:\n", name, r.IntN(2))
	for i := range 1 + r.IntN(9) {
		fmt.Fprintf(&b, "%s Rivet %d :t%d:\n:PROPERTIES:\n:ID: %s%d\n", strings.Repeat("*", 1+r.IntN(3)), r.IntN(2), r.IntN(2), name, i)
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, ":AUTHOR: %s\n:TRUST: low\n", []string{"ada", "bob"}[r.IntN(2)])
		}
		fmt.Fprintf(&b, ":END:\nThe gauge number %d hums.\n", r.IntN(3))
	}
	return b.String()
}

// layered is a memex and a session over it, whose handles collide.
type layered struct {
	r      *rand.Rand
	layers [2]*View
	over   *View
}

// commit puts or drops a document of a layer.
func (l *layered) commit(layer int, path, text string) {
	before := l.layers
	v := before[layer]
	d := v.Edit(2)
	if text == "" {
		d.Drop(path)
	} else {
		d.Put(path, document.File(text, false))
	}
	state, delta := d.Seal()
	next := v.follow(state, &delta, chain.Commit{})
	next.handles = []Handles{v.handles[0].after(&chain.Change{Delta: &delta, After: state})}
	l.layers[layer] = next
	l.compose(before)
}

// compose lays the session over the memex, over the overlay before or anew.
func (l *layered) compose(before [2]*View) {
	base, paths := l.over, []string{}
	for i, now := range l.layers {
		delta := graph.Diff(before[i].State, now.State)
		paths = append(paths, delta.Paths...)
	}
	if base == nil || l.r.IntN(3) == 0 {
		base, paths = l.layers[0], l.layers[1].State.Paths()
	}
	slices.Sort(paths)
	draft := base.State.Edit(0)
	for _, path := range slices.Compact(paths) {
		at := 0
		if _, has := l.layers[1].State.Document(path); has {
			at = 1
		}
		draft.Adopt(path, l.layers[at].State.Nodes(path), at)
	}
	state, delta := draft.Seal()
	l.over = Overlaid(base, state, &delta, chain.Commit{}, []string{"memex", "session/s"}, l.layers[:])
}

// TestWindowsAreNeverStale: whatever the outlines of a view were changed from, a window is that of a view with an
// outline of its own: after edits, through a session whose nodes take handles of the memex, for each agent, and
// without the documents that are locked down.
func TestWindowsAreNeverStale(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 16))
		l := &layered{r: r}
		for i := range l.layers {
			l.layers[i] = New(graph.Empty(document.Formats{org.Format{}}), chain.Commit{}, "memex", newHandles(fewLetters))
		}
		for step := range 25 {
			path, text := []string{"a.org", "b.org", "agents/ada/c.org"}[r.IntN(3)], ""
			if r.IntN(5) > 0 {
				text = layerNotes(r, string(path[len(path)-5])+[]string{"", "x"}[r.IntN(2)])
			}
			l.commit(r.IntN(4)/3, path, text)
			for name, v := range map[string]*View{"memex": l.layers[0], "session": l.over, "locked": l.layers[0].Without("a.org"), "both": l.over.Without("b.org")} {
				req := window.Request{
					Question: []string{"", "gauge 1"}[r.IntN(2)], Budget: 200 + r.IntN(2000), Format: []string{"org", "org", "markdown"}[r.IntN(3)],
					Policy: []string{"value", "shares"}[r.IntN(2)], Caller: window.Caller{Agent: []string{"", "ada", "bob"}[r.IntN(3)]},
				}
				fresh := New(v.State, v.commit, v.scope, v.handles...)
				fresh.Layers = v.Layers
				want, err := fresh.Window(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					got, err := v.Window(t.Context(), req)
					if diff := cmp.Diff(want, got); diff != "" || err != nil {
						t.Fatalf("seed %d, step %d, %s, %v (-fresh +changed):\n%s", seed, step, name, err, diff)
					}
				}
			}
		}
	}
}
