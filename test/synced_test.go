// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"testing"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/view"
)

// TestSynced: each document has its own time of sync, which moves when its file is
// read or written, not when another's is, never backwards, and survives a restart.
func TestSynced(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n:PROPERTIES:\n:ID: one\n:END:\n", "b.org": "* Two\n"})
	w.ingest()
	first := w.m.View()
	look := func() [2]time.Time {
		return [...]time.Time{w.m.Folder().Synced(view.Of(w.m.View()), "a.org"), w.m.Folder().Synced(view.Of(w.m.View()), "b.org")}
	}
	was := look()
	if was[0].IsZero() || !was[0].Equal(was[1]) {
		t.Fatalf("at first %v", was)
	}
	for _, step := range []struct {
		name  string
		do    func()
		moves [2]bool
	}{
		{"b is saved", func() { w.save("b.org", "* Two\nmore\n") }, [...]bool{false, true}},
		{"nothing changed", func() { w.ingest() }, [2]bool{}},
		{"a is edited", func() {
			if _, err := w.m.Notes().Edit(t.Context(), "one", nil, document.SetTodo{Keyword: "TODO"}); err != nil {
				t.Fatal(err)
			}
		}, [...]bool{true, false}},
		{"rolled back", func() {
			if _, _, err := w.m.History().Rollback(t.Context(), "seq:1", nil); err != nil {
				t.Fatal(err)
			}
		}, [...]bool{true, true}},
		{"b is touched", func() {
			w.write(map[string]string{"b.org": "* Two\n"}) // the bytes it has
			w.ingest()
		}, [...]bool{true, true}}, // both were written since they were last read
		{"a restart", w.reopen, [2]bool{}},
	} {
		step.do()
		is := look()
		for i, moves := range step.moves {
			if is[i].After(was[i]) != moves || is[i].Before(was[i]) {
				t.Errorf("%s: document %d from %v to %v", step.name, i, was[i], is[i])
			}
		}
		was = is
	}
	if past := w.m.Folder().Synced(view.Of(first), "b.org"); !past.Before(was[1]) || past.IsZero() {
		t.Errorf("of the first commit: %v", past)
	}
	if got := w.m.Folder().Synced(view.Of(first), "none.org"); !got.IsZero() {
		t.Errorf("of no document: %v", got)
	}
}
