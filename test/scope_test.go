// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

// newProjects makes a world whose memex has projects.
func newProjects(t *testing.T, projects map[string][]string, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), state: filepath.Join(t.TempDir(), "state"), projects: projects}
	w.clock = time.Now().Add(time.Hour)
	w.write(files)
	w.open()
	t.Cleanup(func() { w.m.Close() })
	return w
}

// scope opens a scope and reads its files.
func (w *world) scope(name string) *fovea.Memory {
	w.t.Helper()
	m, err := w.m.Scope(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := m.Ingest(w.t.Context(), nil); err != nil {
		w.t.Fatal(err)
	}
	return m
}

func paths(v fovea.View) []string {
	var out []string
	for d := range v.Documents() {
		out = append(out, d.Path)
	}
	return out
}

var projectFiles = map[string]string{
	"home.org":             "* At home\n",
	"work/plan.org":        "* Work\n",
	"work/boat/rivets.org": "* Rivets\n:PROPERTIES:\n:ID: rivets\n:END:\n",
}

func TestProjectsHoldTheirFiles(t *testing.T) {
	w := newProjects(t, map[string][]string{"work": {"work/"}, "boat": {"work/boat"}}, projectFiles)
	w.ingest()
	for _, tc := range []struct {
		scope string
		want  []string
	}{
		{"memex", []string{"home.org"}},
		{"project/work", []string{"work/plan.org"}},
		{"project/boat", []string{"work/boat/rivets.org"}},
		{"project/unheard", nil},
		{"session/s", nil},
	} {
		m := w.scope(tc.scope)
		if diff := cmp.Diff(tc.want, paths(m.View())); diff != "" {
			t.Errorf("%s: %s", tc.scope, diff)
		}
		for n := range m.View().All() {
			if got := m.View().Scope(n); got != tc.scope {
				t.Errorf("%s: a node of it is said to be of %s", tc.scope, got)
			}
		}
	}
	want := []string{"project/boat", "project/unheard", "project/work", "session/s"}
	if diff := cmp.Diff(want, w.m.Status().Scopes); diff != "" {
		t.Error(diff)
	}
}

// Each scope has a chain of its own: an edit, a snapshot or a rollback in one is
// none in another, and files follow in the scope that holds them.
func TestProjectsHaveTheirOwnHistory(t *testing.T) {
	w := newProjects(t, map[string][]string{"boat": {"work/boat"}}, projectFiles)
	w.ingest()
	boat := w.scope("project/boat")
	root, seq := w.m.View().Root(), w.m.View().Head().Seq
	before, err := os.ReadFile(filepath.Join(w.dir, "work/boat/rivets.org"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := boat.Notes().Edit(t.Context(), "rivets", nil, document.SetTitle{Title: "More rivets"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.Notes().Edit(t.Context(), "rivets", nil, document.SetTitle{Title: "x"}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("the memex edits what a project holds: %v", err)
	}
	if _, files, err := boat.History().Rollback(t.Context(), "0", nil); err != nil || !slices.Equal(files, []string{"work/boat/rivets.org"}) {
		t.Errorf("rollback: %v, %v", files, err)
	}
	after, _ := os.ReadFile(filepath.Join(w.dir, "work/boat/rivets.org"))
	if string(after) != string(before) {
		t.Errorf("the file holds %q", after)
	}
	w.ingest()
	if v := w.m.View(); v.Root() != root || v.Head().Seq != seq {
		t.Errorf("the memex went to commit %d", v.Head().Seq)
	}
	w.reopen()
	boat = w.scope("project/boat")
	if got := boat.View().Head(); got.Seq != 3 || got.Kind != "rollback" {
		t.Errorf("after opening again the project is at %+v", got)
	}
	checked, problems, err := w.m.Mending().Verify(t.Context())
	if err != nil || checked == 0 || len(problems) > 0 {
		t.Errorf("verify: %d checked, %v, %v", checked, problems, err)
	}
}

// What becomes a project's leaves the memex, however much it is.
func TestProjectTakesOver(t *testing.T) {
	files := map[string]string{"home.org": "* At home\n"}
	for i := range 30 {
		files["work/"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".org"] = "* Work\n"
	}
	w := newProjects(t, nil, files)
	w.ingest()
	w.projects = map[string][]string{"work": {"work"}}
	w.reopen()
	if got := paths(w.ingest()); !slices.Equal(got, []string{"home.org"}) {
		t.Errorf("the memex holds %v", got)
	}
	if got := w.scope("project/work").View(); len(paths(got)) != 30 {
		t.Errorf("the project holds %v", paths(got))
	}
}

func TestScopeNames(t *testing.T) {
	w := newWorld(t, nil)
	for _, name := range []string{
		"project/", "project", "memexx", "agent/x", "session/a\nb", "session/\xff", "session/" + strings.Repeat("x", 101), "project/a\x7f",
	} {
		if _, err := w.m.Scope(t.Context(), name); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	good := []string{"project/.", "project/..", "project/A", "project/a", "project/a/../b", "session/" + strings.Repeat("ж", 50), "session/a b"}
	for _, name := range good {
		if _, err := w.m.Scope(t.Context(), name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	got, err := w.m.Scopes()
	if err != nil || !slices.Equal(got, slices.Sorted(slices.Values(good))) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestProjectsThatCannotBe(t *testing.T) {
	for name, projects := range map[string]map[string][]string{
		"outside":    {"a": {"../b"}},
		"twice":      {"a": {"x"}, "b": {"x/"}},
		"a bad name": {"": {"x"}},
	} {
		dir, state := t.TempDir(), filepath.Join(t.TempDir(), "s")
		if _, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state, Projects: projects}); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A scope that is damaged is told by name, and the memex goes on.
func TestDamagedScopeIsNamed(t *testing.T) {
	w := newProjects(t, map[string][]string{"boat": {"work/boat"}}, projectFiles)
	w.ingest()
	w.scope("project/boat")
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.state, "scopes", "project-boat", "FORMAT"), []byte("fovea 99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	if got := paths(w.ingest()); len(got) != 2 {
		t.Errorf("the memex holds %v", got)
	}
	_, problems, err := w.m.Mending().Verify(t.Context())
	if err != nil || !slices.ContainsFunc(problems, func(p document.Problem) bool { return strings.HasPrefix(p.Path, "project/boat") }) {
		t.Errorf("verify: %v, %v", problems, err)
	}
}

func TestClosedScopes(t *testing.T) {
	w := newWorld(t, nil)
	s := w.scope("session/s")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := w.scope("session/s"); again == s {
		t.Error("a closed scope was given out")
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.Scope(t.Context(), "session/s"); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("got %v", err)
	}
}

// TestRefileStaysInItsScope: what another scope holds is refused by name, with what
// to do instead, and nothing changes.
func TestRefileStaysInItsScope(t *testing.T) {
	w := newProjects(t, map[string][]string{"boat": {"work/boat"}}, map[string]string{
		"home.org": "* At home\n:PROPERTIES:\n:ID: home\n:END:\n", "work/boat/rivets.org": "* Rivets\n:PROPERTIES:\n:ID: rivets\n:END:\n",
	})
	w.ingest()
	boat, session := w.scope("project/boat"), w.scope("session/s")
	w.take(session, `{"type":"headline","properties":{"ID":"drawn"}}`, "")
	for _, tc := range []struct {
		name, id, to, want string
		in                 *fovea.Memory
	}{
		{"out of a project", "rivets", "home", "it is of project/boat, and a note moves only within its scope, here memex; cut it out", w.m},
		{"into a project", "home", "rivets", "it is of project/boat", w.m},
		{"from the memex, asked in the project", "home", "rivets", "it is of memex", boat},
		{"out of a session", "drawn", "home", "it is of session/s, and a note moves only within its scope, here memex; take the tree in", w.m},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := w.onDisk()
			_, err := tc.in.Notes().Refile(t.Context(), tc.id, tc.to, nil)
			if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), tc.want) {
				t.Error(err)
			}
			if diff := cmp.Diff(before, w.onDisk()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := w.m.Notes().Refile(t.Context(), "none", "home", nil); fovea.KindOf(err) != fovea.NotFound {
		t.Error(err)
	}
}

// TestSnapshotsOfASession: taking in makes none in a session; a rollback does, names
// are kept, and both are there after a restart.
func TestSnapshotsOfASession(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	w.ingest()
	s := w.scope("session/s")
	tree := func(id string) {
		t.Helper()
		w.take(s, `{"type":"headline","properties":{"ID":"`+id+`"}}`, "")
	}
	tree("one")
	tree("two")
	if list := s.History().Snapshots(); len(list) != 0 {
		t.Errorf("taking in made %v", list)
	}
	if _, err := s.History().Snapshot(t.Context(), "named"); err != nil {
		t.Fatal(err)
	}
	tree("three")
	holds := func(n int) {
		t.Helper()
		if s.View().Len() != n {
			t.Errorf("it holds %d nodes, want %d", s.View().Len(), n)
		}
	}
	back := func(to string) {
		t.Helper()
		if _, _, err := s.History().Rollback(t.Context(), to, nil); err != nil {
			t.Fatal(err)
		}
	}
	back("named")
	holds(2)
	back("0")
	holds(3)
	before := s.History().Snapshots()
	w.reopen()
	s = w.scope("session/s")
	if diff := cmp.Diff(before, s.History().Snapshots()); diff != "" || len(before) != 3 {
		t.Errorf("snapshots (-before +after a restart)\n%s", diff)
	}
	back("named")
	holds(2)
	if len(w.m.History().Snapshots()) != 0 {
		t.Error("the memex has a snapshot of it")
	}
}
