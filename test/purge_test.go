// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
)

// holders lists the files of the state folder that hold a text.
func (w *world) holders(text string) []string {
	w.t.Helper()
	var out []string
	err := filepath.WalkDir(w.state, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if strings.Contains(string(b), text) {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// kindsOf lists the kinds of the problems that verify finds.
func (w *world) kindsOf() string {
	w.t.Helper()
	_, problems, err := w.m.Mending().Verify(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var kinds []string
	for _, p := range problems {
		kinds = append(kinds, p.Kind+": "+p.Message)
	}
	return strings.Join(kinds, "\n")
}

const secret = "hunter2-is-my-password"

// TestPurge takes a secret out of a history that has it in many places, and looks
// at every file for it.
func TestPurge(t *testing.T) {
	long := strings.Repeat("A long line that fills chunks.\n", 5000)
	tests := []struct {
		name        string
		before      string // the text of the file that has the secret
		after       string
		ids         []string
		text        string
		versions    int
		other, want string // a file that stays
	}{
		{name: "text", before: "* A\n:PROPERTIES:\n:ID: a\n:END:\n" + secret + "\n", after: "* A\n:PROPERTIES:\n:ID: a\n:END:\nnothing\n", text: secret, versions: 1},
		{name: "text across chunks", before: "* A\n:PROPERTIES:\n:ID: a\n:END:\n" + long[:65536-50] + secret + long, after: "* A\n:PROPERTIES:\n:ID: a\n:END:\n" +
			long, text: secret, versions: 1},
		{name: "node", before: "* A\n* B\n:PROPERTIES:\n:ID: b\n:END:\n** Below\n" + secret + "\n", after: "* A\n", ids: []string{"b"}, versions: 2},
		{name: "node under two names", before: "* A\n* Old title\n" + secret + "\n", after: "* A\n", versions: 1, ids: []string{""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"x.org": "* A\n", "y.org": "* Stays\n"})
			w.ingest()
			w.write(map[string]string{"x.org": test.before})
			v := w.ingest()
			if test.ids != nil && test.ids[0] == "" {
				for n := range v.All() {
					if n.Derived.Title == "Old title" {
						test.ids[0] = n.ID
					}
				}
			}
			if _, _, err := w.m.Mending().Purge(t.Context(), test.ids, test.text, nil); fovea.KindOf(err) != fovea.Invalid {
				t.Fatalf("purge of what is there: %v, want Invalid", err)
			}
			if err := w.m.Close(); err != nil { // with an image
				t.Fatal(err)
			}
			w.open()
			w.write(map[string]string{"x.org": test.after})
			w.ingest()
			w.write(map[string]string{"x.org": test.after, "y.org": "* Stays, changed\n"})
			root := w.ingest().Root()
			if len(w.holders(secret[:10])) == 0 {
				t.Fatal("the secret is nowhere before the purge: the test shows nothing")
			}
			if _, n, err := w.m.Mending().Purge(t.Context(), test.ids, test.text, &fovea.WriteOptions{DryRun: true}); err != nil || n != test.versions {
				t.Fatalf("dry run: %d versions, %v; want %d", n, err, test.versions)
			}
			c, n, err := w.m.Mending().Purge(t.Context(), test.ids, test.text, nil)
			if err != nil || n != test.versions || c.Kind != graph.KindPurge {
				t.Fatalf("purge: %+v, %d versions, %v; want %d", c, n, err, test.versions)
			}
			for range 2 {
				if held := w.holders(secret[:10]); len(held) > 0 {
					t.Fatalf("still held by %v", held)
				}
				if w.m.View().Root() != root {
					t.Error("the state changed")
				}
				if got := w.kindsOf(); !strings.HasPrefix(got, "purged: ") || strings.Contains(got, "\n") || !strings.Contains(got, "purged by commit 5") {
					t.Errorf("verify says %q", got)
				}
				if _, err := w.m.History().At(t.Context(), "seq:2"); fovea.KindOf(err) != fovea.NotFound || !errors.Is(err, graph.ErrGone) ||
					!strings.Contains(err.Error(), "purged by commit 5") {
					t.Errorf("the moment of the secret: %v", err)
				}
				if _, err := w.m.History().At(t.Context(), "seq:1"); err != nil {
					t.Errorf("another moment: %v", err)
				}
				w.reopen()
			}
			if _, _, err := w.m.History().Rollback(t.Context(), "seq:2", nil); fovea.KindOf(err) != fovea.NotFound {
				t.Errorf("rollback: %v, want NotFound", err)
			}
			if _, _, err := w.m.History().Rollback(t.Context(), "seq:2", &fovea.WriteOptions{Skip: true}); err != nil {
				t.Errorf("rollback that skips: %v", err)
			}
			if got, _ := w.m.View().Text("y.org"); got != "* Stays\n" {
				t.Errorf("y.org is %q", got)
			}
			if got, _ := w.m.View().Text("x.org"); got != test.after {
				t.Errorf("x.org is not as it was")
			}
			if _, _, err := w.m.Mending().Purge(t.Context(), []string{"nobody"}, "", nil); fovea.KindOf(err) != fovea.NotFound {
				t.Errorf("purge of nobody: %v, want NotFound", err)
			}
		})
	}
}

// TestPurgeRefusesWhatItCannotTake: a text that is too short to look for, and one that
// stands where nothing can be taken out of, are refused with what to do instead.
func TestPurgeRefusesWhatItCannotTake(t *testing.T) {
	w := newWorld(t, map[string]string{"x.org": "* A\n", "folder/secret.org": "* B\n:PROPERTIES:\n:ID: the-id\n:END:\n"})
	derived := ""
	for n := range w.ingest().All() {
		if n.Derived.Title == "A" {
			derived = n.ID[5:12]
		}
	}
	if _, err := w.m.History().Snapshot(t.Context(), "before-payday"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.Notes().Edit(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("gardener"), May: anywhere}), "the-id", nil,
		document.AddTag{Tag: "x"}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, text, want string }{
		{"too short", "abc", "under 4 bytes"},
		{"a path", "folder", "its path folder/secret.org holds the text"},
		{"an id", "the-id", "its id the-id holds the text"},
		{"an author", "gardener", "its author, session or message holds the text"},
		{"a derived id", derived, ", by chance, holds the text"},
		{"a snapshot", "payday", "the name of a snapshot holds the text"},
	} {
		for _, dry := range []bool{true, false} {
			_, _, err := w.m.Mending().Purge(t.Context(), nil, tc.text, &fovea.WriteOptions{DryRun: dry})
			if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "name the nodes that held it") {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
	}
}

// TestRetain thins a history and looks at every moment of it.
func TestRetain(t *testing.T) {
	w := newWorld(t, map[string]string{"x.org": "* Version 0\n"})
	w.ingest()
	kept := map[int]bool{}
	for i := 1; i <= 60; i++ {
		w.clock = w.clock.Add(5 * time.Hour)
		w.write(map[string]string{"x.org": "* Version " + strings.Repeat("x", i) + "\n"})
		w.ingest()
		if i == 7 {
			if _, err := w.m.History().Snapshot(t.Context(), "seven"); err != nil {
				t.Fatal(err)
			}
			kept[i+1] = true
		}
	}
	root := w.m.View().Root()
	_, thinned, blocks, err := w.m.Mending().Retain(t.Context(), 24*time.Hour, 0, 5*24*time.Hour, &fovea.WriteOptions{DryRun: true})
	if err != nil || thinned == 0 || blocks == 0 || w.m.View().Head().Seq != 61 {
		t.Fatalf("dry run: %d moments, %d blocks, %v", thinned, blocks, err)
	}
	c, again, _, err := w.m.Mending().Retain(t.Context(), 24*time.Hour, 0, 5*24*time.Hour, nil)
	if err != nil || again != thinned || c.Kind != graph.KindRetain {
		t.Fatalf("retain: %+v, %d moments, %v; the dry run said %d", c, again, err, thinned)
	}
	for range 2 {
		gone := 0
		for seq := 1; seq <= 61; seq++ {
			_, err := w.m.History().At(t.Context(), fmt.Sprintf("seq:%d", seq))
			switch {
			case err == nil:
			case kept[seq] || seq > 61-20:
				t.Errorf("commit %d should have stayed: %v", seq, err)
			case fovea.KindOf(err) != fovea.NotFound || !strings.Contains(err.Error(), "thinned by commit 62"):
				t.Errorf("commit %d: %v", seq, err)
			default:
				gone++
			}
		}
		if gone != thinned {
			t.Errorf("%d moments are gone, %d were thinned", gone, thinned)
		}
		if got := w.kindsOf(); !strings.HasPrefix(got, "thinned: ") || strings.Contains(got, "\n") {
			t.Errorf("verify says %q", got)
		}
		if w.m.View().Root() != root {
			t.Error("the state changed")
		}
		w.reopen()
	}
	if c, _, blocks, err := w.m.Mending().Retain(t.Context(), 24*time.Hour, 0, 5*24*time.Hour, nil); err != nil || blocks != 0 || c.Seq != 0 {
		t.Errorf("the second time: %+v, %d blocks, %v; want nothing", c, blocks, err)
	}
}

// TestSkipPurgedTree: a rollback that skips what is purged leaves the tree as it is.
func TestSkipPurgedTree(t *testing.T) {
	w := newWorld(t, nil)
	tree := func(id, text string) string {
		return fmt.Sprintf(`{"type":"paragraph","properties":{"ID":%q},"raw-content":%q}`, id, text)
	}
	for _, text := range []string{tree("t", secret), tree("t", "harmless"), tree("u", "later")} {
		w.take(w.m, text, "")
	}
	if _, _, err := w.m.Mending().Purge(t.Context(), nil, secret, nil); err != nil {
		t.Fatal(err)
	}
	before, _ := w.m.View().Get("t")
	if _, _, err := w.m.History().Rollback(t.Context(), "seq:1", &fovea.WriteOptions{Skip: true}); err != nil {
		t.Fatal(err)
	}
	if n, _ := w.m.View().Get("t"); n != before || w.m.View().Len() != 1 {
		t.Errorf("what is left is %v", idsOf(slices.Collect(w.m.View().All())))
	}
}
