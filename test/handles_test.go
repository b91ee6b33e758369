// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"path"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/view"
)

// failer is what a test and a property have in common.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// sameHandles notes the handle of each node of a view. It fails if an id has another
// handle than before, or if a handle that was ever given means another node now.
func sameHandles(t failer, v fovea.View, given map[string]string) {
	t.Helper()
	for n := range v.All() {
		word := v.Handle(n)
		if given[n.ID] == "" {
			given[n.ID] = word
		}
		if given[n.ID] != word {
			t.Fatalf("%s has the handle %q, it had %q", n.ID, word, given[n.ID])
		}
	}
	for id, word := range given {
		if got, err := view.Of(v).FormerID(word); err != nil || got != id {
			t.Fatalf("the handle %q of %s means %q, %v", word, id, got, err)
		}
		if n, err := v.Resolve(word); err == nil && n.ID != id {
			t.Fatalf("the handle %q of %s names %s", word, id, n.ID)
		}
	}
}

var _ failer = (*rapid.T)(nil)

// TestHandlesLast: each id keeps its handle when notes are removed, purged, merged with a
// copy and brought back, after a restart, and when all images are lost.
func TestHandlesLast(t *testing.T) {
	const one = "* One\n:PROPERTIES:\n:ID: one\n:END:\nsecret\n"
	a := newMachine(t, map[string]string{"a.org": one + "* Two\n", "b.org": "* Three\n"})
	given := map[string]string{}
	check := func(v fovea.View) { t.Helper(); sameHandles(t, v, given) }
	check(a.m.View())
	a.write("a.org", "* Two\n")
	check(a.m.View())
	if _, _, err := a.m.Mending().Purge(t.Context(), []string{"one"}, "", nil); err != nil {
		t.Fatal(err)
	}
	check(a.m.View())
	b := a.copy("b")
	b.write("c.org", "* Five\n:PROPERTIES:\n:ID: five\n:END:\n")
	check(b.m.View())
	if _, _, _, err := mergeStore(t.Context(), a.m, b.d.state.Clone(), nil); err != nil {
		t.Fatal(err)
	}
	if _, has := a.m.View().Get("five"); !has {
		t.Fatal("the merge brought nothing")
	}
	check(a.m.View())
	for _, lost := range []bool{false, true} {
		if err := a.m.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := a.d.state.ReadDir("image")
		if err != nil || len(entries) == 0 {
			t.Fatalf("%d images, %v", len(entries), err)
		}
		for _, e := range entries {
			if lost {
				err = errors.Join(err, a.d.state.Remove(path.Join("image", e.Name())))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		a.open()
		check(a.m.View())
	}
	a.write("a.org", one)
	if n, err := a.m.View().Resolve(given["one"]); err != nil || n.ID != "one" {
		t.Errorf("the note that came back is not found by its handle: %v, %v", n, err)
	}
	check(a.m.View())
}
