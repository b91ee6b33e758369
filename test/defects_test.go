// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// Defects of an earlier design, by their numbers, each of which a test here keeps
// away where no test of a lower package does.

// TestDefect4TouchedFilesMakeNoHistory: nodes without an id keep their derived
// one whatever the clock says, and reading the same bytes again adds nothing.
func TestDefect4TouchedFilesMakeNoHistory(t *testing.T) {
	files := map[string]string{"a.org": "* No id\n** No id\n* No id\n"}
	w := newWorld(t, files)
	first := w.ingest()
	for range 3 {
		w.write(files)
		if v := w.ingest(); v.Head().Seq != first.Head().Seq || v.Root() != first.Root() {
			t.Fatalf("commit %d came of a touched file", v.Head().Seq)
		}
	}
}

// TestDefect6MovesAndTimes: a node that moves has its new parent and path, also
// where its bytes are known already, and its time never goes back.
func TestDefect6MovesAndTimes(t *testing.T) {
	const one, two = "** Moving\n:PROPERTIES:\n:ID: m\n:END:\none\n", "** Moving\n:PROPERTIES:\n:ID: m\n:END:\ntwo\n"
	heads := func(under, text string) map[string]string {
		files := map[string]string{"a.org": "* A\n", "b.org": "* B\n"}
		files[under] += text
		return files
	}
	w := newWorld(t, heads("a.org", one))
	last := get(t, w.ingest(), "m").Modified
	for i, step := range []struct {
		path, text string
		edited     bool
	}{{"b.org", one, false}, {"a.org", two, true}, {"a.org", one, true}, {"b.org", one, false}} {
		w.write(heads(step.path, step.text))
		v := w.ingest()
		n := get(t, v, "m")
		parent := get(t, v, map[string]string{"a.org": "A", "b.org": "B"}[step.path])
		other := get(t, v, map[string]string{"a.org": "B", "b.org": "A"}[step.path])
		if n.Path != step.path || n.Parent != parent.ID || !cmp.Equal(parent.Kids, []string{"m"}) || len(other.Kids) != 0 {
			t.Errorf("step %d: in %s below %q; %v and %v have children", i, n.Path, n.Parent, parent.Kids, other.Kids)
		}
		if n.Modified < last || step.edited && n.Modified == last {
			t.Errorf("step %d: modified went from %d to %d", i, last, n.Modified)
		}
		last = n.Modified
	}
	log, err := w.m.History().Log(t.Context(), "m", 0)
	if err != nil || len(log) != 5 {
		t.Errorf("%d commits are about the node, %v; want all 5", len(log), err)
	}
}

// TestDefect8GoneMeansGone: what left its file is found by no way of asking, and
// stays in history.
func TestDefect8GoneMeansGone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* P\n:PROPERTIES:\n:ID: p\n:END:\n** Gone gizmo :x:\n:PROPERTIES:\n:ID: k\n:END:\n"})
	w.ingest()
	svc := w.serve()
	count := func() [3]int {
		t.Helper()
		hits, err := api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "gizmo"})
		if err != nil {
			t.Fatal(err)
		}
		tagged, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Query: "tags:x"})
		if err != nil {
			t.Fatal(err)
		}
		return [3]int{len(hits), len(tagged), len(get(t, w.m.View(), "p").Kids)}
	}
	if got := count(); got != [3]int{1, 1, 1} {
		t.Fatalf("found %v before, want one each", got)
	}
	w.write(map[string]string{"a.org": "* P\n:PROPERTIES:\n:ID: p\n:END:\n"})
	w.ingest()
	if got := count(); got != [3]int{} {
		t.Errorf("found %v after it was removed", got)
	}
	if log, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{ID: "k"}); err != nil || len(log) != 2 {
		t.Errorf("its history: %v, %v; want two commits", log, err)
	}
}

// TestDefect9TwoBearersOfAnID: each file keeps its own node, the first of the
// owner's bears the id, and the other is named with its line.
func TestDefect9TwoBearersOfAnID(t *testing.T) {
	bearer := func(title string) string { return "* " + title + "\n:PROPERTIES:\n:ID: x\n:END:\n" }
	w := newWorld(t, map[string]string{"agents/a/n.org": bearer("Agent"), "b.org": "intro\n" + bearer("Owner"), "c.org": "intro\n" + bearer("Other")})
	v := w.ingest()
	if n := get(t, v, "x"); n.Title() != "Owner" {
		t.Errorf("%s bears the id, want the owner's first", n.Title())
	}
	for path, title := range map[string]string{"agents/a/n.org": "Agent", "b.org": "Owner", "c.org": "Other"} {
		if kids := get(t, v, path).Kids; len(kids) != 1 || get(t, v, kids[0]).Title() != title {
			t.Errorf("%s shows %v, want its own headline", path, kids)
		}
	}
	st, err := api.OpStatus.Call(t.Context(), w.serve(), api.StatusRequest{Diagnostics: true})
	if err != nil {
		t.Fatal(err)
	}
	var where []string
	for _, p := range st.DiagnosticList {
		where = append(where, fmt.Sprintf("%s:%d", p.Path, p.Line))
	}
	if diff := cmp.Diff([]string{"agents/a/n.org:1", "c.org:2"}, where); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	w.remove("b.org")
	if n := get(t, w.ingest(), "x"); n.Title() != "Other" {
		t.Errorf("after the bearer left %s bears the id, want the next", n.Title())
	}
}

// TestDefect15ConcurrentUse: writers follow one another, readers see whole
// states, and nothing is lost.
func TestDefect15ConcurrentUse(t *testing.T) {
	const writers, rounds = 4, 8
	w := newWorld(t, nil)
	path := func(i, round int) string { return filepath.Join(w.dir, fmt.Sprintf("w%d-%d.org", i, round)) }
	stop := make(chan struct{})
	var writing, reading sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for round := range rounds {
				if err := os.WriteFile(path(i, round), []byte("* Headline\nword\n"), 0o644); err != nil {
					t.Error(err)
				}
				if err := w.m.Ingest(t.Context(), nil); err != nil {
					t.Error(err)
				}
				if _, err := w.m.History().Snapshot(t.Context(), fmt.Sprintf("name %d", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		reading.Go(func() {
			for {
				v := w.m.View()
				nodes, words := 0, 0
				for n := range v.All() {
					nodes++
					if strings.Contains(n.Content, "word") {
						words++
					}
				}
				hits, err := v.Search("word", 1000, nil, time.Time{})
				if err != nil || nodes != v.Len() || len(hits) != words {
					t.Errorf("a view of %d nodes shows %d, says the word %d times and finds it %d times, %v", v.Len(), nodes, words, len(hits), err)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	if n := len(documentsOf(w.m.View())); n != writers*rounds {
		t.Errorf("%d documents, want %d", n, writers*rounds)
	}
	fresh := newWorld(t, w.onDisk())
	if got, want := w.m.View().Root(), fresh.ingest().Root(); got != want {
		t.Errorf("root %s, of a fresh ingest %s", got, want)
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify: %+v, %v", problems, err)
	}
}

// TestDefect16AnEditCostsItsAncestors: history grows by what an edit changed and
// the headlines above it, however large the memory is.
func TestDefect16AnEditCostsItsAncestors(t *testing.T) {
	grows := func(others int) int64 {
		w := newWorld(t, map[string]string{"z.org": "* Top\n** Middle\n*** Leaf\n:PROPERTIES:\n:ID: l\n:END:\none\n"})
		files := map[string]string{}
		for i := range others {
			files[fmt.Sprintf("o%d.org", i)] = strings.Repeat("* Headline\nsome text below it\n", 20)
		}
		w.write(files)
		w.ingest()
		before := w.journalBytes()
		w.write(map[string]string{"z.org": "* Top\n** Middle\n*** Leaf\n:PROPERTIES:\n:ID: l\n:END:\ntwo\n"})
		w.ingest()
		return w.journalBytes() - before
	}
	few, many := grows(1), grows(40)
	if many > few+64 || few > 4<<10 { // the numbers in a commit may take some bytes more
		t.Errorf("the same edit costs %d bytes of journal in a small memory and %d in a large one", few, many)
	}
}

// journalBytes counts what the journal holds, without the zeroes that are
// allocated behind it.
func (w *world) journalBytes() int64 {
	w.t.Helper()
	size := int64(0)
	files, err := filepath.Glob(filepath.Join(w.state, "journal", "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			w.t.Fatal(err)
		}
		size += int64(len(strings.TrimRight(string(b), "\x00")))
	}
	return size
}

// TestDefect22SnapshotsSurvive: twenty automatic snapshots and every named one
// stay, each with its time, over a restart too; older automatic ones go, and
// their states can still be reached.
func TestDefect22SnapshotsSurvive(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 30 {
		w.write(map[string]string{"a.org": fmt.Sprintf("* Version %d\n", i)})
		w.ingest()
		if i == 3 {
			if _, err := w.m.History().Snapshot(t.Context(), "early"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, when := range []string{"while it runs", "after a restart"} {
		list := w.m.History().Snapshots()
		automatic, named := 0, 0
		for i, s := range list {
			if s.Index != i || s.Time.IsZero() || i > 0 && list[i-1].Seq < s.Seq {
				t.Errorf("%s: snapshot %d is %+v", when, i, s)
			}
			if s.Name == "" {
				automatic++
			} else {
				named++
			}
		}
		if automatic != 20 || named != 1 || list[0].Seq != 29 || list[20].Name != "early" {
			t.Errorf("%s: %d automatic and %d named snapshots: %+v", when, automatic, named, list)
		}
		past, err := w.m.History().At(t.Context(), "seq:2")
		if err != nil || !cmp.Equal(documentsOf(past), map[string]string{"a.org": "* Version 1\n"}) {
			t.Errorf("%s: commit 2 cannot be reached: %v", when, err)
		}
		w.reopen()
	}
}

// TestDefect24DamageIsNeverOverwritten: a state folder whose journal is mangled
// opens at its last good commit, says so, refuses to write, and keeps every byte
// of the evidence over opening, reading and closing.
func TestDefect24DamageIsNeverOverwritten(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	good := w.ingest()
	mark := w.journalBytes()
	w.write(map[string]string{"a.org": "* B\n"})
	w.ingest()
	w.write(map[string]string{"a.org": "* C\n"})
	w.ingest()
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(w.state, "journal", "*"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %v, %v", segments, err)
	}
	b, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	b[mark+40] ^= 0x10 // in the second commit's batch
	if err := os.WriteFile(segments[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.open()
		v := w.m.View()
		if v.Root() != good.Root() || v.Head().Seq != 1 {
			t.Errorf("opened at commit %d, want the last good one", v.Head().Seq)
		}
		if w.m.Status().ReadOnly == "" {
			t.Error("nothing says that the memory is damaged")
		}
		if err := w.m.Ingest(t.Context(), nil); fovea.KindOf(err) != fovea.ReadOnly {
			t.Errorf("ingest: %v, want read-only", err)
		}
		if s, err := api.OpShow.Call(t.Context(), w.serve(), api.ShowRequest{ID: "A"}); err != nil || s.Content != "* A\n" {
			t.Errorf("reading: %+v, %v", s, err)
		}
		if err := w.m.Close(); err != nil {
			t.Error(err)
		}
		if after, err := os.ReadFile(segments[0]); err != nil || string(after) != string(b) {
			t.Errorf("the damaged journal was changed: %v", err)
		}
	}
	w.open()
}

// TestDefect30MangledImage: an image that does not verify is left out whole; the
// memory comes from the journal, with all history.
func TestDefect30MangledImage(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n", "big.org": "* Big\n" + strings.Repeat("line\n", 400_000)})
	w.ingest()
	w.write(map[string]string{"a.org": "* B\n"})
	want := w.ingest()
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	images, err := filepath.Glob(filepath.Join(w.state, "image", "*.img"))
	if err != nil || len(images) != 1 {
		t.Fatalf("images %v, %v", images, err)
	}
	b, err := os.ReadFile(images[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{"cut": b[:len(b)/2], "mangled": append([]byte("mangled"), b[7:]...), "empty": {}} {
		if err := os.WriteFile(images[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		w.open()
		if got := w.m.View(); got.Root() != want.Root() || got.Head().Digest != want.Head().Digest || w.m.Status().ReadOnly != "" {
			t.Errorf("%s: commit %d, read-only %q", name, got.Head().Seq, w.m.Status().ReadOnly)
		}
		if got := w.m.Status().Recovered; !strings.Contains(got, "failed verification and was skipped") {
			t.Errorf("%s: recovered %q", name, got)
		}
		_, problems, err := w.m.Mending().Verify(t.Context())
		if err != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].Path, "image/") {
			t.Errorf("%s: verify: %+v, %v; want the image alone", name, problems, err)
		}
		if err := w.m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.open()
}

// TestDefect26NothingIsEvaluated: text that programs would run is kept as text.
func TestDefect26NothingIsEvaluated(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made")
	files := map[string]string{"a.org": fmt.Sprintf(
		"# -*- eval: (write-region \"\" nil %q); -*-\n* #.(open %q :direction :output)\n#+begin_src sh :tangle %s\ntouch %s\n#+end_src\n"+
			"[[elisp:(write-region \"\" nil %q)]] $(touch %s)\n",
		made, made, made, made, made, made)}
	w := newWorld(t, files)
	w.ingest()
	w.reopen()
	if _, err := api.OpContext.Call(t.Context(), w.serve(), api.ContextRequest{Focus: "a.org:2"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("something in a file was executed: %v", err)
	}
	if diff := cmp.Diff(files, documentsOf(w.m.View())); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

// TestViewsDoNotChange: a view taken before any number of operations answers as
// it did, search included.
func TestViewsDoNotChange(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One gauge\n", "b.org": "* Two\n"})
	v := w.ingest()
	root, held := v.Root(), maps.Clone(documentsOf(v))
	w.write(map[string]string{"a.org": "* Other\n", "c.org": "* Three gauge\n"})
	w.remove("b.org")
	w.ingest()
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	hits, err := v.Search("gauge", 0, nil, time.Time{})
	if v.Root() != root || !cmp.Equal(held, documentsOf(v)) || err != nil || len(hits) != 1 {
		t.Errorf("the view changed: root %s, %v, %d hits, %v", v.Root(), documentsOf(v), len(hits), err)
	}
}
