// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// ofTitle finds the one node of a title.
func (w *world) ofTitle(title string) string {
	w.t.Helper()
	n, err := w.m.View().Resolve(title)
	if err != nil {
		w.t.Fatal(err)
	}
	return n.ID
}

// save writes a file and reads it.
func (w *world) save(name, text string) {
	w.t.Helper()
	w.write(map[string]string{name: text})
	w.ingest()
}

// blamed is what Blame says, a line each: the number of the commit and the text.
func (w *world) blamed(id string) string {
	w.t.Helper()
	lines, by, gone, err := w.m.History().Blame(w.t.Context(), nil, id)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "%d %s", by[i].Seq, line)
	}
	for _, c := range gone {
		fmt.Fprintf(&b, "gone %d\n", c.Seq)
	}
	return b.String()
}

// TestBlame: each history is of commits from 1 on, and ends with a headline that
// begins with the word Node.
func TestBlame(t *testing.T) {
	back := func(w *world, to string) {
		if _, _, err := w.m.History().Rollback(w.t.Context(), to, nil); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name    string
		history func(w *world)
		want    string
	}{
		{"one version", func(w *world) { w.save("a.org", "* Node\na\nb\n") }, "1 * Node\n1 a\n1 b\n"},
		{"to and fro and again", func(w *world) {
			w.save("a.org", "* Node\n")
			for range 3 {
				w.save("a.org", "* Node\na\n")
				w.save("a.org", "* Node\nb\n")
			}
		}, "1 * Node\n3 b\n"},
		{"lines come, change and go", func(w *world) {
			w.save("a.org", "* Node\na\nb\nc\n")
			w.save("a.org", "* Node\nx\na\nb\nc\n")
			w.save("a.org", "* Node\nx\na\nB\n")
		}, "1 * Node\n2 x\n1 a\n3 B\n"},
		{"retitled", func(w *world) {
			w.save("a.org", "* Node old\na\nb\n")
			w.save("a.org", "* Node\na\nb\n")
			w.save("a.org", "* Node\na\nb\nc\n")
		}, "2 * Node\n1 a\n1 b\n3 c\n"},
		{"its file is renamed", func(w *world) {
			w.save("a.org", "* Node\na\n")
			w.remove("a.org")
			w.save("sub/b.org", "* Node\na\n")
			w.save("sub/b.org", "* Node\na\nb\n")
		}, "1 * Node\n1 a\n3 b\n"},
		{"refiled", func(w *world) {
			w.save("a.org", "* Node\na\n")
			w.save("b.org", "* Place\n")
			if _, err := w.m.Notes().Refile(w.t.Context(), w.ofTitle("Node"), w.ofTitle("Place"), nil); err != nil {
				w.t.Fatal(err)
			}
			w.save("b.org", "* Place\n** Node\na\nb\n")
		}, "3 ** Node\n1 a\n4 b\n"},
		{"rolled back", func(w *world) {
			w.save("a.org", "* Node\na\nb\n")
			w.save("a.org", "* Node\nx\n")
			back(w, "seq:1")
			w.save("a.org", "* Node\na\nb\nc\n")
		}, "1 * Node\n1 a\n1 b\n4 c\n"},
		{"brought back by hand", func(w *world) {
			w.save("a.org", "* Node\na\n")
			w.save("a.org", "* Node\nb\n")
			w.save("a.org", "* Node\na\n")
		}, "1 * Node\n1 a\n"},
		{"deleted and rolled back", func(w *world) {
			w.save("a.org", "* Node\na\n* Other\n")
			w.save("a.org", "* Other\n")
			back(w, "seq:1")
		}, "1 * Node\n1 a\n"},
		{"retitled and rolled back, twice", func(w *world) {
			w.save("a.org", "* Node\na\n")
			w.save("a.org", "* Knot\na\nb\n")
			back(w, "seq:1")
			back(w, "seq:2")
			w.save("a.org", "* Node two\na\nb\n")
		}, "5 * Node two\n1 a\n2 b\n"},
		{"another node had its title, and so its id", func(w *world) {
			w.save("a.org", "* Node\na\n")
			w.save("a.org", "* Gone\na\n* Node\nb\n")
		}, "1 * Node\n2 b\n"},
		{"across a restart, without a final line end", func(w *world) {
			w.save("a.org", "* Node\na")
			w.reopen()
			w.save("a.org", "* Node\na\nb")
			w.reopen()
		}, "1 * Node\n2 a\n2 b"},
		{"content was purged", func(w *world) {
			w.save("a.org", "* Node\na\n")
			w.save("a.org", "* Node\na\nsecret\nb\n")
			w.save("a.org", "* Node\na\nb\nc\n")
			if _, _, err := w.m.Mending().Purge(w.t.Context(), nil, "secret", nil); err != nil {
				w.t.Fatal(err)
			}
		}, "1 * Node\n1 a\n3 b\n3 c\ngone 2\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, nil)
			tc.history(w)
			id := ""
			for n := range w.m.View().All() {
				if strings.HasPrefix(n.Title(), "Node") {
					id = n.ID
				}
			}
			if diff := cmp.Diff(tc.want, w.blamed(id)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlameOfNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	w.ingest()
	if _, _, _, err := w.m.History().Blame(t.Context(), nil, "nowhere"); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("%v", err)
	}
}

// TestNodeAcrossNames follows one headline through every way it can get another
// name: by what it goes by now and by each name it had, through the log, its
// versions, and the moments between, also after a restart.
func TestNodeAcrossNames(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Node\nbody of it\n", "b.org": "* Place\n"})
	w.ingest()
	type moment struct {
		id   string
		own  merkle.Digest
		view fovea.View
		seq  uint64
	}
	var past []moment
	look := func() {
		v := w.m.View()
		for n := range v.All() {
			if strings.Contains(n.Content, "body of it") {
				past = append(past, moment{n.ID, n.Own, v, v.Head().Seq})
			}
		}
	}
	look()
	w.save("a.org", "* Knot\nbody of it\n")
	look()
	w.remove("a.org")
	w.save("c.org", "* Knot\nbody of it\n")
	look()
	if _, err := w.m.Notes().Refile(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: anywhere, Session: "s1"}), w.ofTitle("Knot"),
		w.ofTitle("Place"), nil); err != nil {
		t.Fatal(err)
	}
	look()
	w.save("a.org", "* Node\nanother one\n") // it bears the first id now
	w.save("b.org", "* Place\n* Between\n** Knot\nbody of it\nmore\n")
	look()
	if _, ids, err := w.m.Notes().AssignIDs(t.Context(), []string{w.ofTitle("Knot")}, nil); err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	look()
	if _, err := w.m.Notes().Edit(t.Context(), w.ofTitle("Knot"), nil, document.SetTodo{Keyword: "TODO"}); err != nil {
		t.Fatal(err)
	}
	look()
	for _, again := range []func(){func() {}, w.reopen} {
		again()
		now := past[len(past)-1].id
		for i, p := range past {
			if i == 0 {
				continue // another node has that id
			}
			log, err := w.m.History().Log(t.Context(), p.id, 0)
			if err != nil {
				t.Fatal(err)
			}
			var seqs, want []uint64
			authors := map[string]bool{}
			for _, c := range log {
				seqs = append(seqs, c.Seq)
				authors[c.Author.String()+" "+c.Kind] = true
			}
			for _, p := range slices.Backward(past) {
				want = append(want, p.seq)
			}
			if diff := cmp.Diff(want, seqs); diff != "" {
				t.Errorf("log of name %d (-want +got):\n%s", i, diff)
			}
			if diff := cmp.Diff(map[string]bool{"file ingest": true, "mint edit": true, "owner edit": true}, authors); diff != "" {
				t.Error(diff)
			}
		}
		for i, p := range past {
			at, err := w.m.History().At(t.Context(), fmt.Sprintf("seq:%d", p.seq))
			if err != nil {
				t.Fatal(err)
			}
			if was, err := w.m.History().Was(t.Context(), now, at); err != nil || was != p.id {
				t.Errorf("at moment %d it was %q, want %q, %v", i, was, p.id, err)
			}
			n, err := w.m.History().Version(t.Context(), now, p.own)
			if err != nil || n.Own != p.own {
				t.Errorf("version %d: %v, %v", i, n, err)
			}
		}
	}
}
