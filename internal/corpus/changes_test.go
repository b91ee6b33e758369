// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux

package corpus

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/merkle"
)

// put writes a file through Stage and Apply.
func (w *watched) put(name string) {
	w.t.Helper()
	base := merkle.Digest{}
	if text, err := os.ReadFile(w.path(name)); err == nil {
		base = merkle.Sum(text)
	}
	staged, err := w.w.root.Stage(name, base, Next{Text: "* ours\n"}, nil)
	w.check(err)
	w.check(staged.Apply())
}

// changes returns the changes that what causes.
func (w *watched) changes(what func()) Changes {
	w.t.Helper()
	w.check(w.w.CatchUp())
	w.w.Drain()
	what()
	w.check(w.w.CatchUp())
	return w.w.Drain()
}

// TestChanges distinguishes own writes from those of other programs.
func TestChanges(t *testing.T) {
	w := watchFolder(t, "a.org", "b.org", "twice.org", "held.org")
	w.check(os.Link(w.path("twice.org"), w.path("again")))
	touched := func(name string) { // as if nothing had happened, but for an event
		info, err := os.Stat(w.path(name))
		w.check(err)
		w.check(os.WriteFile(w.path(name), []byte("* OURS\n"), 0o644))
		w.check(os.Chtimes(w.path(name), info.ModTime(), info.ModTime()))
	}
	for _, tc := range []struct {
		name string
		do   func()
		came []string // nil: more than files that came
		ours bool     // all of them
	}{
		{"nothing", func() {}, []string{}, true},
		{"our write", func() { w.put("a.org") }, []string{"a.org"}, true},
		{"our writes", func() { w.put("a.org"); w.put("b.org"); w.put("a.org") }, []string{"a.org", "b.org"}, true},
		{"a file of ours that is new", func() { w.put("new.org") }, []string{"new.org"}, true},
		{"another's save in place", func() { w.write("a.org") }, nil, false},
		{"the same behind ours", func() { w.put("a.org"); touched("a.org") }, nil, false},
		{"another's save by renaming", func() { w.write(".tmp"); w.rename(".tmp", "a.org") }, []string{"a.org"}, false},
		{"the same behind ours, the same size", func() {
			w.put("a.org")
			w.check(os.WriteFile(w.path(".tmp"), []byte("* OURS\n"), 0o644))
			w.rename(".tmp", "a.org")
		}, []string{"a.org"}, false},
		{"ours behind another's", func() { w.write(".tmp"); w.rename(".tmp", "a.org"); w.put("a.org") }, []string{"a.org"}, true},
		{"ours and another file", func() { w.put("a.org"); w.write(".tmp"); w.rename(".tmp", "b.org") }, []string{"a.org", "b.org"}, false},
		{"ours that is renamed", func() { w.put("a.org"); w.rename("a.org", "c.org") }, nil, false},
		{"ours that is deleted", func() { w.put("a.org"); w.check(os.Remove(w.path("a.org"))) }, nil, false},
		{"ours in place, for it has two names", func() { w.put("twice.org") }, nil, false},
		{"ours in a new folder", func() { w.put("fresh/a.org") }, nil, false},
		{"more than are counted", func() {
			for i := range maxCreated + 1 {
				w.put(fmt.Sprint(i, ".org"))
			}
		}, nil, false},
	} {
		got := w.changes(tc.do)
		if diff := cmp.Diff(append([]string{}, tc.came...), append([]string{}, got.Created...)); diff != "" || got.Overflow != (tc.came == nil) {
			t.Errorf("%s: more %v, came (-want +got):\n%s", tc.name, got.Overflow, diff)
		}
		ours := !got.Overflow
		for _, name := range got.Created {
			ours = ours && w.w.root.Wrote(name)
		}
		if ours != tc.ours {
			t.Errorf("%s: all ours %v, want %v", tc.name, ours, tc.ours)
		}
	}
}
