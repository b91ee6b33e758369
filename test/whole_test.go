// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// tooMany is a text of more headlines than are parsed.
func tooMany() string { return strings.Repeat("* \n", org.MaxHeadlines+1) }

// liveHeap returns the bytes of objects that are in use.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// TestMemoryOfFloods: a file of a great many small things takes memory in proportion to
// its bytes, after the first reading, after verify and after the diagnostics.
func TestMemoryOfFloods(t *testing.T) {
	const most = 24 // bytes of memory for each byte of text
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"headlines":       tooMany(),
		"titles":          numbered("* h%d\n", org.MaxHeadlines+1),
		"below others":    numbered("* h%d\n** \n", org.MaxHeadlines/2+1),
		"properties":      "* a\n:PROPERTIES:\n" + strings.Repeat(":p: v\n", 200_000) + ":END:\n",
		"drawers astray":  "* a\n" + strings.Repeat(":PROPERTIES:\n:A: b\n:END:\n", 100_000),
		"drawers at once": "* a\n" + strings.Repeat(":PROPERTIES:\n", 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			before := liveHeap()
			w := newWorld(t, map[string]string{"a.org": text})
			w.ingest()
			if _, err := w.m.Folder().Diagnostics(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
				t.Fatalf("verify: %v, %v", problems, err)
			}
			grown := int64(liveHeap()) - int64(before) - 4<<20 // what any memory takes
			if got := grown / int64(len(text)); got > most {
				t.Errorf("%d bytes of memory for each of %d bytes of text, want at most %d", got, len(text), most)
			}
			if got, _ := w.m.View().Text("a.org"); got != text {
				t.Error("memory does not hold the bytes of the file")
			}
			runtime.KeepAlive(text)
		})
	}
}

// TestDiagnosticOfKeptWhole: a file that is not parsed for its size is told, with what to do.
func TestDiagnosticOfKeptWhole(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": tooMany(), "b.org": "* B\n"})
	w.ingest()
	problems, err := w.m.Folder().Diagnostics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := "more than 250000 headlines; the file is kept whole, and its headlines are not read: split it into smaller files"
	if len(problems) != 1 || problems[0].Path != "a.org" || problems[0].Message != want {
		t.Errorf("diagnostics %v, want one of a.org: %s", problems, want)
	}
	if n := len(nodesAt(w.m.View(), "a.org")); n != 1 {
		t.Errorf("%d nodes, want the document alone", n)
	}
}

// TestOverTheLimitAndBack: a file that grows over the limit, by a rewrite or at its end, is
// one node, and has its nodes again, with their ids, when it shrinks. After each step memory
// is what a fresh reading makes, and history has every text.
func TestOverTheLimitAndBack(t *testing.T) {
	const small = "#+TITLE: Notes\n* One\n:PROPERTIES:\n:ID: one\n:END:\ntext\n** Two\n* Three\n"
	unique := "* Four\n:PROPERTIES:\n:ID: four\n:END:\n"
	steps := []string{small, small + tooMany(), small, small + unique, small + unique + tooMany(), tooMany() + small, "", small}
	w := newWorld(t, map[string]string{"a.org": small})
	w.ingest()
	ids := fmt.Sprint(nodesAt(w.m.View(), "a.org"))
	for i, text := range steps {
		w.save("a.org", text)
		fresh := newWorld(t, map[string]string{"a.org": text})
		fresh.ingest()
		if got, want := w.m.View().Root(), fresh.m.View().Root(); got != want {
			t.Errorf("step %d: root %s, read afresh %s", i, got, want)
		}
		if got := fmt.Sprint(nodesAt(w.m.View(), "a.org")); text == small && got != ids {
			t.Errorf("step %d: ids %s, want %s", i, got, ids)
		}
	}
	w.reopen()
	w.ingest()
	seq := w.m.View().Head().Seq
	if seq != uint64(len(steps)) { // the first step changes nothing, the first ingest is a commit
		t.Fatalf("%d commits, want %d", seq, len(steps))
	}
	for i, want := range steps {
		v, err := w.m.History().At(t.Context(), fmt.Sprintf("seq:%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := v.Text("a.org"); got != want {
			t.Errorf("commit %d holds %d bytes, want %d", i+1, len(got), len(want))
		}
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify: %v, %v", problems, err)
	}
}

func nodesAt(v fovea.View, path string) (ids []string) {
	for n := range v.All() {
		if n.Path == path {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// TestEditsStopAtTheLimit: no operation makes a file too large to be parsed, and none
// writes into one that is. The error says why, and the file stays as it is.
func TestEditsStopAtTheLimit(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n:PROPERTIES:\n:ID: one\n:END:\n", "whole.org": tooMany(),
		"archived.org": "#+ARCHIVE: whole.org::\n* Old\n:PROPERTIES:\n:ID: old\n:END:\n"})
	w.ingest()
	ctx, root := t.Context(), w.m.View().Root()
	whole := nodesAt(w.m.View(), "whole.org")[0]
	note := document.InsertHeadline{Title: "Note"}
	for name, try := range map[string]func() error{
		"append": func() error {
			return w.tryEdit("one", document.AppendBody{Text: strings.ReplaceAll(tooMany(), "*", "**"), Children: true})
		},
		"replace": func() error {
			return w.tryEdit("one", document.ReplaceBody{Text: strings.ReplaceAll(tooMany(), "*", "**"), Children: true})
		},
		"edit whole":     func() error { return w.tryEdit(whole, document.AppendBody{Text: "x\n"}) },
		"insert path":    func() error { _, _, err := w.m.Notes().Insert(ctx, "whole.org", note, nil); return err },
		"insert id":      func() error { _, _, err := w.m.Notes().Insert(ctx, whole, note, nil); return err },
		"remember path":  func() error { _, _, _, err := w.m.Notes().Remember(ctx, "whole.org", note, nil); return err },
		"remember id":    func() error { _, _, _, err := w.m.Notes().Remember(ctx, whole, note, nil); return err },
		"refile into it": func() error { _, err := w.m.Notes().Refile(ctx, "one", whole, nil); return err },
		"archive":        func() error { _, err := w.m.Notes().Archive(ctx, "old", nil); return err },
	} {
		err := try()
		if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(fmt.Sprint(err), "split it into smaller files") {
			t.Errorf("%s: %v, want Invalid and what to do", name, err)
		}
		if now := w.m.View().Root(); now != root {
			t.Fatalf("%s changed memory", name)
		}
	}
	for _, path := range []string{"a.org", "whole.org", "archived.org"} {
		want, _ := w.m.View().Text(path)
		if got, err := os.ReadFile(filepath.Join(w.dir, path)); err != nil || string(got) != want {
			t.Errorf("%s changed, %v", path, err)
		}
	}
}

func (w *world) tryEdit(id string, edits ...document.Edit) error {
	_, err := w.m.Notes().Edit(w.t.Context(), id, nil, edits...)
	return err
}

// TestAtTheLimit: a file of just as many headlines as are parsed has them all, and a note
// more is refused.
func TestAtTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds and a gigabyte")
	}
	text := strings.Repeat("* \n", org.MaxHeadlines)
	w := newWorld(t, map[string]string{"a.org": text})
	w.ingest()
	if n := w.m.View().Len(); n != org.MaxHeadlines+1 {
		t.Fatalf("%d nodes, want %d", n, org.MaxHeadlines+1)
	}
	_, _, _, err := w.m.Notes().Remember(t.Context(), "a.org", document.InsertHeadline{Title: "Note"}, nil)
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(fmt.Sprint(err), "nothing was written") {
		t.Errorf("remember: %v, want Invalid", err)
	}
	if got, err := os.ReadFile(filepath.Join(w.dir, "a.org")); err != nil || string(got) != text {
		t.Errorf("the file changed, %v", err)
	}
}
