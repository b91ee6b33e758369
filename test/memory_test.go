// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// world is a memex folder and the state folder of its memory, for one test.
type world struct {
	t     testing.TB
	dir   string
	state string
	clock time.Time
	m     *fovea.Memory

	session  string
	projects map[string][]string
	store    vfs.FS // instead of state, nil for none
	org      *org.Defaults
}

// newWorld makes a folder of the given files and opens its memory.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	w.clock = time.Now().Add(time.Hour) // files of this test are old, so that a stat settles them
	w.write(files)
	w.open()
	t.Cleanup(func() { w.m.Close() })
	return w
}

// now is a clock that goes on by a minute at each look.
func (w *world) now() time.Time {
	w.clock = w.clock.Add(time.Minute)
	return w.clock
}

func (w *world) open() {
	w.t.Helper()
	m, err := fovea.Open(w.t.Context(), w.dir, &fovea.Options{StateDir: w.state, Store: w.store, Actor: author.Actor{Session: w.session}, Projects: w.projects,
		Formats: document.Formats{org.Format{Defaults: w.org}}, Now: w.now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.m = m
}

func (w *world) reopen() {
	w.t.Helper()
	if err := w.m.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

func (w *world) write(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.dir, filepath.FromSlash(name))); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) ingest() fovea.View {
	w.t.Helper()
	if err := w.m.Ingest(w.t.Context(), nil); err != nil {
		w.t.Fatal(err)
	}
	return w.m.View()
}

// documentsOf gives back the documents the memory holds: the text of files, and of
// those that stand in none the version, which says all of them.
func documentsOf(v fovea.View) map[string]string {
	out := filesOf(v)
	for d := range v.Documents() {
		if document.IsMemory(d.Path) {
			out[d.Path] = d.Version.String()
		}
	}
	return out
}

// filesOf gives back the files the memory holds.
func filesOf(v fovea.View) map[string]string {
	out := map[string]string{}
	for d := range v.Documents() {
		if !document.IsMemory(d.Path) {
			out[d.Path], _ = v.Text(d.Path)
		}
	}
	return out
}

// onDisk reads the folder.
func (w *world) onDisk() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(w.dir, p)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestRestartKeepsEverything(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org":     "#+title: A\n* One :tag:\n:PROPERTIES:\n:ID: one\n:END:\nbody\n** Two\n",
		"sub/b.org": "* Three\nétude 😀\n",
	})
	w.ingest()
	if _, err := w.m.History().Snapshot(t.Context(), "named"); err != nil {
		t.Fatal(err)
	}
	w.write(map[string]string{"a.org": "* Changed\n"})
	v := w.ingest()
	log, err := w.m.History().Log(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	snaps := w.m.History().Snapshots()
	w.reopen()
	if got := w.m.View().Root(); got != v.Root() {
		t.Errorf("root after a restart %s, want %s", got, v.Root())
	}
	if diff := cmp.Diff(documentsOf(v), documentsOf(w.m.View())); diff != "" {
		t.Errorf("documents (-before +after):\n%s", diff)
	}
	again, err := w.m.History().Log(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range log {
		log[i].Documents, again[i].Documents = 0, 0
	}
	if diff := cmp.Diff(log, again); diff != "" {
		t.Errorf("log (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(snaps, w.m.History().Snapshots()); diff != "" {
		t.Errorf("snapshots (-before +after):\n%s", diff)
	}
	if n := len(log); n != 2 {
		t.Errorf("%d commits, want 2", n)
	}
}

func TestIngestWithoutChangeMakesNoCommit(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	head := w.ingest().Head()
	for range 3 {
		if got := w.ingest().Head(); got.Seq != head.Seq {
			t.Fatalf("commit %d came of nothing", got.Seq)
		}
	}
	w.reopen()
	if got := w.ingest().Head(); got.Digest != head.Digest {
		t.Errorf("after a restart the head is commit %d, want %d", got.Seq, head.Seq)
	}
}

// TestSameFolderSameRoot: another place, another process' worth of state,
// another order of arrival, and after edits and undo.
func TestSameFolderSameRoot(t *testing.T) {
	content := map[string]string{
		"b.org": "* B\n:PROPERTIES:\n:ID: x\n:END:\n", "a.org": "* A\n:PROPERTIES:\n:ID: x\n:END:\n** A2\n",
		"agents/s/n.org": "* N\n:PROPERTIES:\n:ID: x\n:END:\n",
	}
	want := newWorld(t, content).ingest().Root()
	t.Run("one file at a time", func(t *testing.T) {
		for _, order := range [][]string{{"agents/s/n.org", "b.org", "a.org"}, {"b.org", "a.org", "agents/s/n.org"}} {
			w := newWorld(t, nil)
			for _, name := range order {
				w.write(map[string]string{name: content[name]})
				w.ingest()
			}
			if got := w.m.View().Root(); got != want {
				t.Errorf("order %v: root %s, want %s", order, got, want)
			}
		}
	})
	t.Run("after edits and undo", func(t *testing.T) {
		w := newWorld(t, content)
		w.ingest()
		w.write(map[string]string{"a.org": "* Other\n", "c.org": "* New\n"})
		w.ingest()
		w.remove("b.org")
		w.ingest()
		w.remove("c.org")
		w.write(content)
		if got := w.ingest().Root(); got != want {
			t.Errorf("root %s, want %s", got, want)
		}
		if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
			t.Fatal(err)
		}
		if got := w.m.View().Root(); got != want {
			t.Errorf("after two rollbacks: root %s, want %s", got, want)
		}
	})
}

func TestRollbackRestoresFiles(t *testing.T) {
	v1 := map[string]string{"a.org": "* A\none\n", "d/b.org": "* B\r\n", "gone.org": "* G"}
	w := newWorld(t, v1)
	w.ingest()
	w.write(map[string]string{"a.org": "* A\ntwo\n", "new.org": "* New\n"})
	w.remove("gone.org")
	w.ingest()
	v2 := w.onDisk()
	_, restored, err := w.m.History().Rollback(t.Context(), "0", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v1, w.onDisk()); diff != "" {
		t.Errorf("files after the rollback (-want +got):\n%s", diff)
	}
	if want := []string{"a.org", "gone.org", "new.org"}; !slices.Equal(restored, want) {
		t.Errorf("restored %v, want %v", restored, want)
	}
	if head := w.ingest().Head(); head.Kind != "rollback" {
		t.Errorf("the scan after a rollback made a commit of kind %s", head.Kind)
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v2, w.onDisk()); diff != "" {
		t.Errorf("files after rolling the rollback back (-want +got):\n%s", diff)
	}
}

func TestRollbackRefusesWhole(t *testing.T) {
	for name, spoil := range map[string]func(w *world){
		"changed since": func(w *world) { w.write(map[string]string{"b.org": "unseen\n"}) },
		"open in Emacs": func(w *world) {
			if err := os.Symlink("noor@host.12:34", filepath.Join(w.dir, ".#b.org")); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* A1\n", "b.org": "* B1\n"})
			w.ingest()
			w.write(map[string]string{"a.org": "* A2\n", "b.org": "* B2\n"})
			head := w.ingest().Head()
			spoil(w)
			before := w.onDiskFiles()
			_, _, err := w.m.History().Rollback(t.Context(), "0", nil)
			if fovea.KindOf(err) != fovea.Conflict || !strings.Contains(err.Error(), "b.org") {
				t.Fatalf("got %v, want a conflict about b.org", err)
			}
			if diff := cmp.Diff(before, w.onDiskFiles()); diff != "" || w.m.View().Head().Seq != head.Seq {
				t.Errorf("a refused rollback changed something:\n%s", diff)
			}
			if _, _, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{Skip: true}); err != nil {
				t.Fatal(err)
			}
			after := w.onDiskFiles()
			if after["a.org"] != "* A1\n" || after["b.org"] != before["b.org"] {
				t.Errorf("--skip gave %q", after)
			}
		})
	}
}

// onDiskFiles is onDisk without what editors leave.
func (w *world) onDiskFiles() map[string]string {
	os.Rename(filepath.Join(w.dir, ".#b.org"), filepath.Join(w.state, "lock"))
	defer os.Rename(filepath.Join(w.state, "lock"), filepath.Join(w.dir, ".#b.org"))
	return w.onDisk()
}

func TestRollbackMemoryOnlyRecordsDrift(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A1\n"})
	want := w.ingest().Root()
	w.write(map[string]string{"a.org": "* A2\n"})
	w.ingest()
	_, drift, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{MemoryOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(drift, []string{"a.org"}) {
		t.Errorf("drift %v, want a.org", drift)
	}
	for range 2 { // also after a restart the file is left alone
		if got := w.ingest().Root(); got != want {
			t.Fatal("a scan undid a memory-only rollback")
		}
		if got := w.onDisk()["a.org"]; got != "* A2\n" {
			t.Errorf("the file became %q", got)
		}
		w.reopen()
	}
	w.write(map[string]string{"a.org": "* A3\n"})
	w.ingest()
	if text, _ := w.m.View().Text("a.org"); text != "* A3\n" {
		t.Errorf("after the file changed memory has %q", text)
	}
	if d := w.m.Status().Drift; len(d) != 0 {
		t.Errorf("drift is still %v", d)
	}
}

// TestRollbackOverDriftSaysSo: a file that differs on purpose blocks a rollback
// to yet another state, and the list says why it differs.
func TestRollbackOverDriftSaysSo(t *testing.T) {
	w := newWorld(t, nil)
	for _, text := range []string{"* A1\n", "* A2\n", "* A3\n"} {
		w.write(map[string]string{"a.org": text})
		w.ingest()
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "seq:1", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
		t.Fatal(err)
	}
	_, _, err := w.m.History().Rollback(t.Context(), "seq:2", nil)
	if fovea.KindOf(err) != fovea.Conflict || !strings.Contains(err.Error(), "a.org  (differs since a rollback of memory only)") {
		t.Errorf("got %v", err)
	}
}

func TestHeldDeletions(t *testing.T) {
	content := map[string]string{}
	for i := range 30 {
		content[string(rune('a'+i/26))+string(rune('a'+i%26))+".org"] = "* H\n"
	}
	w := newWorld(t, content)
	before := w.ingest().Root()
	for name := range content {
		if name > "ak.org" {
			w.remove(name)
		}
	}
	err := w.m.Ingest(t.Context(), nil)
	if fovea.KindOf(err) != fovea.Held || w.m.View().Root() != before {
		t.Fatalf("got %v, want the deletions held", err)
	}
	if err := w.m.Ingest(t.Context(), &fovea.IngestOptions{AcceptDeletions: true}); err != nil {
		t.Fatal(err)
	}
	if got := len(documentsOf(w.m.View())); got != 11 {
		t.Errorf("%d documents are left, want 11", got)
	}
}

// TestRenamedFolderIsNotHeld: every path is gone, and every text is back.
func TestRenamedFolderIsNotHeld(t *testing.T) {
	content := map[string]string{}
	for i := range 30 {
		content[fmt.Sprintf("old/%02d.org", i)] = fmt.Sprintf("* H %d\n:PROPERTIES:\n:ID: id-%d\n:END:\n", i, i)
	}
	w := newWorld(t, content)
	w.ingest()
	if err := os.Rename(filepath.Join(w.dir, "old"), filepath.Join(w.dir, "new")); err != nil {
		t.Fatal(err)
	}
	v := w.ingest()
	n, ok := v.Get("id-7")
	if !ok || n.Path != "new/07.org" || len(documentsOf(v)) != 30 {
		t.Errorf("after a rename id-7 is %+v, and there are %d documents", n, len(documentsOf(v)))
	}
}

func TestLogFollowsRenames(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Old name\nbody\n"})
	w.ingest()
	w.write(map[string]string{"a.org": "* New name\nbody\n"})
	v := w.ingest()
	n, err := v.Resolve("New name")
	if err != nil {
		t.Fatal(err)
	}
	log, err := w.m.History().Log(t.Context(), n.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(log) != 2 {
		t.Errorf("%d commits in the log of a renamed headline, want 2", len(log))
	}
	past, err := w.m.History().At(t.Context(), "seq:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := past.Resolve("Old name"); err != nil {
		t.Error(err)
	}
	d := fovea.Diff(past, v)
	if len(d.Added) != 1 || len(d.Removed) != 1 || len(d.Renamed) != 1 {
		t.Errorf("difference %+v, want one renamed", d)
	}
}

func TestSearchIsThatOfAFreshIndex(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Rain gauge\nthe gauge drifts\n", "b.org": "* Boat\noak\n"})
	w.ingest()
	if _, err := w.m.View().Search("gauge", 0, nil, time.Time{}); err != nil { // makes the index
		t.Fatal(err)
	}
	w.write(map[string]string{"b.org": "* Boat\na gauge for the bilge\n", "c.org": "* Gauge\n"})
	v := w.ingest()
	got, err := v.Search("gauge", 0, nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	fresh := newWorld(t, w.onDisk())
	want, err := fresh.ingest().Search("gauge", 0, nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%d hits, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Score != want[i].Score || got[i].Node.ID != want[i].Node.ID {
			t.Errorf("hit %d: %s %v, want %s %v", i, got[i].Node.ID, got[i].Score, want[i].Node.ID, want[i].Score)
		}
	}
	keep, err := query.Parse("path:c.org")
	if err != nil {
		t.Fatal(err)
	}
	if hits, err := v.Search("gauge", 0, keep, time.Time{}); err != nil || len(hits) != 1 {
		t.Errorf("a condition leaves %d hits, %v; want 1", len(hits), err)
	}
}

func TestResolve(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "* Evening\n* Evening\n* Morning\nline\n", "d/b.org": "* morning\n",
	})
	v := w.ingest()
	for _, tc := range []struct{ name, want string }{
		{"Morning", "Morning"}, {"a.org:1", "Evening"}, {"a.org:4", "Morning"}, {"a.org:+0", "Evening"},
		{"a.org", "a"}, {"MORNING", "ambiguous"}, {"Evening", "ambiguous"}, {"nowhere", "not found"}, {"a.org:0", "not found"},
	} {
		n, err := v.Resolve(tc.name)
		switch {
		case err != nil && fovea.KindOf(err).String() != tc.want:
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		case err == nil && n.Title() != tc.want:
			t.Errorf("%s: %s, want %s", tc.name, n.Title(), tc.want)
		}
	}
}

func TestVerify(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n", "b.org": "* B\n"})
	w.ingest()
	w.write(map[string]string{"a.org": "* A2\n"})
	w.ingest()
	checked, problems, err := w.m.Mending().Verify(t.Context())
	if err != nil || len(problems) > 0 || checked < 2+3+4 {
		t.Fatalf("verify: %d checked, %+v, %v", checked, problems, err)
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	segments, _ := filepath.Glob(filepath.Join(w.state, "journal", "*"))
	b, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(segments[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	if w.m.Status().ReadOnly == "" {
		t.Error("a damaged journal is not reported")
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) == 0 {
		t.Errorf("verify finds nothing wrong: %v", err)
	}
	if err := w.m.Ingest(t.Context(), nil); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("ingest into a damaged store: %v, want read-only", err)
	}
}

// TestReadersWhileWriting: readers search and query whatever view they hold
// while a writer goes on; the race detector watches.
func TestReadersWhileWriting(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* TODO Gauge\n"})
	w.ingest()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	todo, err := query.Parse("todo:TODO")
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v := w.m.View()
				root := v.Root()
				if _, err := v.Search("gauge", 0, todo, time.Time{}); err != nil {
					t.Error(err)
				}
				if nodes, err := v.Query(todo, 0, time.Time{}); err != nil || len(nodes) == 0 {
					t.Errorf("%d nodes, %v", len(nodes), err)
				}
				if v.Root() != root {
					t.Error("a view changed")
				}
			}
		})
	}
	for i := range 30 {
		w.write(map[string]string{"b.org": strings.Repeat("* Note\n", i)})
		w.ingest()
	}
	close(stop)
	wg.Wait()
}
