// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/store"
)

// TestPurgeTextKeepsWhatLacksIt purges words that stand in the encoding of every block:
// the versions that do not hold them stay, and what comes back later is there later.
func TestPurgeTextKeepsWhatLacksIt(t *testing.T) {
	for _, word := range append([]string{
		"headline", "content", "attrs", "type", "snapshot", "version", "purple", "foveal", "FOVEA", "fovea state", "unicode", "FVFT", "ingest", "lexical", "memex",
	}, store.Magics[:]...) {
		t.Run(word, func(t *testing.T) {
			a := newMachine(t, map[string]string{"a.org": mergeFile})
			if _, err := a.m.History().Snapshot(t.Context(), "first"); err != nil {
				t.Fatal(err)
			}
			a.edit("b", document.AppendBody{Text: "my " + word})
			a.edit("b", document.Delete{})
			if _, n, err := a.m.Mending().Purge(t.Context(), nil, word, &fovea.WriteOptions{DryRun: true}); n != 1 || err != nil {
				t.Fatalf("a dry run: %d versions, %v", n, err)
			}
			if _, n, err := a.m.Mending().Purge(t.Context(), nil, word, nil); n != 1 || err != nil {
				t.Errorf("%d versions, %v", n, err)
			}
			if _, problems, err := a.m.Mending().Verify(t.Context()); err != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].Message, "1 block ") {
				t.Errorf("verify: %v, %v", problems, err)
			}
			a.mustHave("seq:1", "one") // its state never held the word

			// What comes back after the purge is there when no image has it any more.
			text := a.d.files(t)["a.org"]
			a.write("a.org", strings.Replace(text, "one", "uno", 1))
			a.write("a.org", text)
			a.write("a.org", strings.Replace(text, "one", "une", 1))
			back := fmt.Sprintf("seq:%d", a.m.View().Head().Seq-1)
			for range 3 {
				a.edit("a", document.AppendBody{Text: "more"})
				if _, _, err := a.m.History().Checkpoint(t.Context(), "x"); err != nil {
					t.Fatal(err)
				}
				if err := a.m.Close(); err != nil {
					t.Fatal(err)
				}
				a.open()
			}
			a.mustHave(back, "one")
			if _, _, err := a.m.History().Rollback(t.Context(), back, nil); err != nil {
				t.Errorf("back to a commit made after the purge: %v", err)
			}
		})
	}
}

// mustHave looks for a text in the node a of a moment.
func (a *machine) mustHave(ref, text string) {
	a.t.Helper()
	v, err := a.m.History().At(a.t.Context(), ref)
	if err != nil {
		a.t.Errorf("%s: %v", ref, err)
	} else if n, ok := v.Get("a"); !ok || !strings.Contains(n.Content, text) {
		a.t.Errorf("%s: %+v", ref, n)
	}
}

// TestPurgeTextAcrossChunks: of a long content the chunks go that only versions with the
// text have; an earlier version that shares the others stays whole.
func TestPurgeTextAcrossChunks(t *testing.T) {
	const chunk = 1 << 16
	head := "* A\n:PROPERTIES:\n:ID: a\n:END:\n"
	lines := func(what string, n int) string { return strings.Repeat(what+" line of a long text.\n", n) }
	first := (head + lines("First", 9000))[:chunk]
	rest := lines("Another", 9000)
	for name, text := range map[string]string{
		"over a border":     first[:chunk-10] + secret + rest,
		"behind a border":   first + rest[:2*chunk] + secret + rest,
		"in a chunk's text": first + "\n" + secret + "\n" + rest,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": first + rest})
			w.ingest()
			w.saved(map[string]string{"a.org": text})
			w.saved(map[string]string{"a.org": head + "short\n"})
			if _, n, err := w.m.Mending().Purge(t.Context(), nil, secret, nil); n != 1 || err != nil {
				t.Fatalf("%d versions, %v", n, err)
			}
			for range 2 {
				if held := w.holders(secret[10:]); len(held) > 0 {
					t.Errorf("still held by %v", held)
				}
				v, err := w.m.History().At(t.Context(), "seq:1")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(map[string]string{"a.org": first + rest}, documentsOf(v)); diff != "" {
					t.Error("the version before is not whole")
				}
				if _, err := w.m.History().At(t.Context(), "seq:2"); fovea.KindOf(err) != fovea.NotFound {
					t.Errorf("the version that held it: %v", err)
				}
				w.reopen()
			}
		})
	}
}

// TestPurgeTextOfCopies: a text that history does not hold any more, and an image or a
// file put aside does, is taken out of these.
func TestPurgeTextOfCopies(t *testing.T) {
	for name, leave := range map[string]func(w *world){
		"an old image": func(w *world) {
			if _, _, n, err := w.m.Mending().Retain(t.Context(), time.Hour, 0, 0, nil); n == 0 || err != nil {
				w.t.Fatalf("%d blocks, %v", n, err)
			}
		},
		"put aside": func(w *world) {
			if _, _, err := w.m.Mending().Purge(t.Context(), nil, secret, nil); err != nil {
				w.t.Fatal(err)
			}
			folder := filepath.Join(w.state, "quarantine")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				w.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "x"), []byte(secret), 0o600); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* A\n"})
			w.ingest()
			w.saved(map[string]string{"a.org": "* A\n" + secret + "\n"})
			w.saved(map[string]string{"large.org": large("Large")})
			if err := w.m.Close(); err != nil { // with an image
				t.Fatal(err)
			}
			w.open()
			w.saved(map[string]string{"a.org": "* A\nnothing\n"})
			for i := range 30 { // no snapshot holds it any more
				w.clock = w.clock.Add(time.Hour)
				w.saved(map[string]string{"a.org": fmt.Sprintf("* A\nnothing %d\n", i)})
			}
			leave(w)
			if len(w.holders(secret)) == 0 {
				t.Fatal("the secret is nowhere: the test shows nothing")
			}
			if _, n, err := w.m.Mending().Purge(t.Context(), nil, secret, nil); n != 0 || err != nil {
				t.Errorf("%d versions, %v", n, err)
			}
			if held := w.holders(secret); len(held) > 0 {
				t.Errorf("still held by %v", held)
			}
			if _, _, err := w.m.Mending().Purge(t.Context(), nil, secret, nil); fovea.KindOf(err) != fovea.NotFound {
				t.Errorf("once more: %v, want NotFound", err)
			}
		})
	}
}

// TestPurgeReachesTheLog: the lines of a daemon that hold the text lose it, and the rest
// of the log stays.
func TestPurgeReachesTheLog(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n* Zebraqux\n"})
	w.ingest()
	log := filepath.Join(w.state, "serve.log")
	if err := os.WriteFile(log, []byte("remembered Zebraqux\nopened\nforgot Zebraqux\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write(map[string]string{"a.org": "* A\n"})
	w.ingest()
	if _, _, err := w.m.Mending().Purge(t.Context(), nil, "Zebraqux", nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(log); err != nil || string(got) != "remembered ********\nopened\nforgot ********\n" {
		t.Errorf("%q, %v", got, err)
	}
}
