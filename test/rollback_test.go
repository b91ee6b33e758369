// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestRollbackKeepsWhatAFileIs: links stay links, names stay together, modes
// stay, and a lock that nobody holds stops nobody.
func TestRollbackKeepsWhatAFileIs(t *testing.T) {
	w := newWorld(t, map[string]string{"real.txt": "* Link 1\n", "hard.org": "* Hard 1\n", "mode.org": "* Mode 1\n", "gone.org": "* Gone\n"})
	at := func(name string) string { return filepath.Join(w.dir, name) }
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const noProcess = "4194305" // one more than Linux gives
	for _, err := range []error{
		os.Symlink("real.txt", at("link.org")),
		os.Link(at("hard.org"), at("other name")),
		os.Chmod(at("mode.org"), 0o640),
		os.Symlink("ann@"+host+"."+noProcess, at(".#mode.org")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.ingest()
	for _, name := range []string{"real.txt", "hard.org", "mode.org"} { // os.WriteFile writes in place
		w.write(map[string]string{name: "* Second\n"})
	}
	w.remove("gone.org")
	w.ingest()
	_, touched, err := w.m.History().Rollback(t.Context(), "0", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"gone.org", "hard.org", "link.org", "mode.org"}, touched); diff != "" {
		t.Errorf("touched (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"real.txt": "* Link 1\n", "link.org": "* Link 1\n", "hard.org": "* Hard 1\n", "other name": "* Hard 1\n", "mode.org": "* Mode 1\n", "gone.org": "* Gone\n",
	} {
		if got, err := os.ReadFile(at(name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	if to, err := os.Readlink(at("link.org")); err != nil || to != "real.txt" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if info, err := os.Stat(at("mode.org")); err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if v := w.ingest(); v.Head().Kind != "rollback" {
		t.Errorf("the next scan made commit %+v", v.Head())
	}
}

// TestRollbackNamesWhatBlocks: each file with its reason, one line each.
func TestRollbackNamesWhatBlocks(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A1\n", "b.org": "* B1\n", "c.org": "* C1\n", "d.org": "* D1\n"})
	w.ingest()
	w.write(map[string]string{"a.org": "* A2\n", "b.org": "* B2\n", "c.org": "* C2\n", "d.org": "* D2\n"})
	w.ingest()
	w.write(map[string]string{"b.org": "* Saved\n"})
	if err := os.Chmod(filepath.Join(w.dir, "c.org"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("ann@elsewhere.7", filepath.Join(w.dir, ".#d.org")); err != nil {
		t.Fatal(err)
	}
	_, _, err := w.m.History().Rollback(t.Context(), "0", nil)
	if fovea.KindOf(err) != fovea.Conflict {
		t.Fatalf("got %v, want a conflict", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	for i, want := range []string{"b.org  (the file changed meanwhile)", "c.org  (the file or its folder is read-only",
		"d.org  (an editor has unsaved changes of the file: ann@elsewhere.7"} {
		if got := strings.TrimSpace(lines[i+1]); !strings.HasPrefix(got, want) {
			t.Errorf("line %d: %q, want %q", i+1, got, want)
		}
	}
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if vfs.IsTemp(e.Name()) {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// TestRollbackKeepsTimes: what a rollback does not change keeps the time of its last
// change, for this process and for the next one.
func TestRollbackKeepsTimes(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n", "b.org": "* Before\n"})
	w.ingest()
	w.saved(map[string]string{"a.org": "* Two\n"})
	w.saved(map[string]string{"a.org": "* One\n"})
	w.saved(map[string]string{"b.org": "* After\n"})
	times := func() map[string]int64 {
		out := map[string]int64{}
		for n := range w.m.View().All() {
			out[n.ID] = n.Modified
		}
		return out
	}
	before := times()
	w.rolledBack("seq:1")
	want := times()
	for n := range w.m.View().Document("a.org") {
		if want[n.ID] != before[n.ID] {
			t.Errorf("%s changed at %d, and at %d after a rollback of another file", n.ID, before[n.ID], want[n.ID])
		}
	}
	w.reopen()
	if diff := cmp.Diff(want, times()); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}
