// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package test

import (
	"testing"

	"github.com/fovea-memory/fovea/document"
)

// TestWrote: only what the memory itself has put under a name, and nobody has
// replaced, needs no reading.
func TestWrote(t *testing.T) {
	saved := func(w *world) {
		if _, _, err := w.m.Notes().Insert(t.Context(), "a.org", document.InsertHeadline{Title: "New"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name string
		do   func(w *world)
		want bool
	}{
		{"a file of somebody", func(*world) {}, false},
		{"our write", saved, true},
		{"our write, and it was replaced", func(w *world) { saved(w); w.write(map[string]string{"a.org": "* Theirs\n"}) }, false},
		{"our write of a file that names a setup file", func(w *world) {
			w.write(map[string]string{"a.org": "#+SETUPFILE: theme.setup\n* A\n"})
			w.ingest()
			saved(w)
		}, false},
		{"our write below what a session laid over a file", func(w *world) {
			w.session = "emacs"
			w.reopen()
			w.ingest()
			w.take(w.m, `{"type":"org-data","properties":{"PATH":"b.org"},"contents":[]}`, "")
			saved(w)
		}, false},
		{"our write, and we closed", func(w *world) { saved(w); w.reopen() }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* A\n", "b.org": "* B\n"})
			w.ingest()
			tc.do(w)
			if got := w.m.Folder().Wrote([]string{"a.org"}); got != tc.want {
				t.Errorf("ours: %v, want %v", got, tc.want)
			}
		})
	}
}

// TestWroteASetupFileOfAnotherScope: what a project asks for is read by the project,
// whoever wrote it.
func TestWroteASetupFileOfAnotherScope(t *testing.T) {
	w := newProjects(t, map[string][]string{"p": {"proj"}}, map[string]string{
		"theme.org": "* T\n", "proj/x.org": "#+SETUPFILE: ../theme.org\n* WAIT Call\n",
	})
	w.ingest()
	p, err := w.m.Scope(t.Context(), "project/p")
	if err != nil {
		t.Fatal(err)
	}
	w.write(map[string]string{"theme.org": "#+TODO: WAIT | OVER\n* T\n"})
	w.ingest()
	if _, _, err := w.m.History().Rollback(t.Context(), "seq:1", nil); err != nil {
		t.Fatal(err)
	}
	if !w.m.Folder().Wrote([]string{"theme.org"}) {
		return // the folder is read: all is well
	}
	for n := range p.View().All() {
		if n.Derived.Level == 1 && n.Derived.Todo != "" {
			t.Errorf("nothing is to be read, and the project has %q with the keyword %s that is gone", n.Title(), n.Derived.Todo)
		}
	}
}
