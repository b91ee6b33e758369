// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// Defects of an earlier design in taking in trees, by their numbers.

// TestDefect1AnyText: text beyond ASCII is kept byte for byte, and hashed as it is.
func TestDefect1AnyText(t *testing.T) {
	w := newWorld(t, nil)
	const text = "é م 漢字 \U0001F980 e\u0301"
	id, _ := w.take(w.m, fmt.Sprintf(`{"type":"paragraph","properties":{"ID":"ü","TITLE":%q},"raw-content":%q}`, text, text), "")
	w.reopen()
	n, ok := w.m.View().Get(id)
	if !ok || id != "ü" || n.Content != text || n.Title() != text {
		t.Errorf("got %+v", n)
	}
	composed, _ := w.take(w.m, `{"type":"paragraph","raw-content":"é"}`, "")
	split, _ := w.take(w.m, `{"type":"paragraph","raw-content":"e\u0301"}`, "")
	if composed == split {
		t.Error("two texts that look alike are one")
	}
}

// TestDefect2NamelessSiblings: children without an id are as many as there were.
func TestDefect2NamelessSiblings(t *testing.T) {
	w := newWorld(t, nil)
	id, _ := w.take(w.m, `{"type":"headline","contents":[{"type":"item","raw-content":"x"},{"type":"item","raw-content":"x"},{"type":"item",`+
		`"raw-content":"x"}]}`, "")
	if got := shape(w.m.View(), id); got != "headline(item item item)" || w.m.View().Len() != 4 {
		t.Errorf("it holds %s, %d nodes", got, w.m.View().Len())
	}
}

// TestDefect3NotItsOwnChild: a nameless child of a nameless parent is another node.
func TestDefect3NotItsOwnChild(t *testing.T) {
	w := newWorld(t, nil)
	id, _ := w.take(w.m, `{"type":"headline","raw-content":"x","contents":[{"type":"headline","raw-content":"x"}]}`, "")
	v := w.m.View()
	n, _ := v.Get(id)
	if len(n.Kids) != 1 || n.Kids[0] == id {
		t.Errorf("its children are %v", n.Kids)
	}
	for m := range v.All() {
		if len(v.Ancestors(m)) > 1 {
			t.Errorf("%s has ancestors %v", m.ID, idsOf(v.Ancestors(m)))
		}
	}
}

// TestDefect4TheSameTreeIsTheSame: nodes without an id have one that no clock makes.
func TestDefect4TheSameTreeIsTheSame(t *testing.T) {
	w := newWorld(t, nil)
	const tree = `{"type":"headline","properties":{"TITLE":"T"},"contents":[{"type":"paragraph","raw-content":"x"}]}`
	id, first := w.take(w.m, tree, "")
	for range 3 {
		if again, c := w.take(w.m, tree, ""); again != id || c.Seq != 0 {
			t.Errorf("%s became %s in commit %d", id, again, c.Seq)
		}
	}
	if w.m.View().Head().Seq != first.Seq || w.m.View().Len() != 2 {
		t.Errorf("%d commits, %d nodes", w.m.View().Head().Seq, w.m.View().Len())
	}
}

// TestDefect5EveryTextCounts: the text of paragraphs and strings is kept, and part of
// the root.
func TestDefect5EveryTextCounts(t *testing.T) {
	tree := func(paragraph, bare string) string {
		return fmt.Sprintf(`{"type":"headline","properties":{"ID":"a"},"contents":[{"type":"paragraph","raw-content":%q},%q]}`, paragraph, bare)
	}
	roots := map[merkle.Digest]string{}
	for _, text := range []string{tree("x", "y"), tree("z", "y"), tree("x", "z")} {
		w := newWorld(t, nil)
		w.take(w.m, text, "")
		if was, met := roots[w.m.View().Root()]; met {
			t.Errorf("%s and %s have one root", was, text)
		}
		roots[w.m.View().Root()] = text
		var kept strings.Builder
		for n := range w.m.View().All() {
			kept.WriteString(n.Content)
		}
		if len(kept.String()) != 2 {
			t.Errorf("%s: kept %q", text, kept.String())
		}
	}
}

// TestDefect6OtherScope: a node that comes again in another scope is of that one.
func TestDefect6OtherScope(t *testing.T) {
	w := newWorld(t, nil)
	tree := func(scope string) string {
		return `{"type":"headline","properties":{"ID":"a","TITLE":"A"},"scope":"` + scope + `"}`
	}
	w.take(w.m, tree("session/s"), "")
	w.take(w.m, tree("memex"), "")
	for scope, want := range map[string]string{"": "memex", "session/s": "session/s", "session/other": "memex"} {
		v := w.over()
		if scope != "" {
			v = w.over(scope)
		}
		if n, ok := v.Get("a"); !ok || v.Scope(n) != want {
			t.Errorf("%q: of %v", scope, ok && v.Scope(n) == want)
		}
	}
}

// TestDefect7AChildAlone: a child that comes alone keeps its parent, and changes the
// root.
func TestDefect7AChildAlone(t *testing.T) {
	w := newWorld(t, nil)
	w.take(w.m, gauge, "")
	was, _ := w.m.View().Get("gauge")
	w.take(w.m, `{"type":"headline","properties":{"ID":"lid","TITLE":"Lid"},"raw-content":"brass"}`, "")
	is, _ := w.m.View().Get("gauge")
	lid, _ := w.m.View().Get("lid")
	if lid.Parent != "gauge" || is.Version == was.Version || is.Own != was.Own {
		t.Errorf("below %q; the parent's version changed: %v", lid.Parent, is.Version != was.Version)
	}
}

// TestDefect9AnIDOfAFile: a file's node is not taken over by a tree, nor the other way
// round.
func TestDefect9AnIDOfAFile(t *testing.T) {
	file := map[string]string{"a.org": "* Filed\n:PROPERTIES:\n:ID: x\n:END:\n"}
	tree := `{"type":"headline","properties":{"ID":"x","TITLE":"Tree"}}`
	w := newWorld(t, file)
	w.ingest()
	if _, _, _, err := w.m.IngestTree(t.Context(), parsed(t, tree), "", nil); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("got %v", err)
	}
	w = newWorld(t, nil)
	w.take(w.m, tree, "")
	w.write(file)
	v := w.ingest()
	if n, _ := v.Get("x"); n.Title() != "Filed" || v.Len() != 3 {
		t.Errorf("x is %s, of %d nodes", n.Title(), v.Len())
	}
	w.remove("a.org")
	if n, ok := w.ingest().Get("x"); !ok || n.Title() != "Tree" {
		t.Errorf("without the file x is %v", n)
	}
}

// TestDefect10NoDelimiters: what stands in one field cannot look like another.
func TestDefect10NoDelimiters(t *testing.T) {
	owns := map[merkle.Digest]string{}
	for _, text := range []string{
		`{"type":"headline","properties":{"ID":"a","TITLE":"x|CONTENT:y"},"raw-content":""}`,
		`{"type":"headline","properties":{"ID":"a","TITLE":"x"},"raw-content":"y"}`,
		`{"type":"headline","properties":{"ID":"a","TITLE":"x"},"raw-content":"|CONTENT:y"}`,
		`{"type":"headline","properties":{"ID":"a","TITLE":["x","y"]}}`,
		`{"type":"headline","properties":{"ID":"a","TITLE":"x y"}}`,
		// 12: nothing and an empty text, a number and its digits
		`{"type":"headline","properties":{"ID":"a","N":1},"raw-content":""}`,
		`{"type":"headline","properties":{"ID":"a","N":"1"},"raw-content":""}`,
		`{"type":"headline","properties":{"ID":"a","N":1.0},"raw-content":""}`,
		`{"type":"headline","properties":{"ID":"a","N":1}}`,
		`{"type":"headline","properties":{"ID":"a","N":null}}`,
		`{"type":"headline","properties":{"ID":"a","N":false}}`,
	} {
		w := newWorld(t, nil)
		id, _ := w.take(w.m, text, "")
		n, _ := w.m.View().Get(id)
		if was, met := owns[n.Own]; met {
			t.Errorf("%s and %s have one digest", was, text)
		}
		owns[n.Own] = text
	}
}

// TestDefect14HistoryStays: what was taken in stays as it was, whatever comes later,
// also where the caller changes the tree that it gave.
func TestDefect14HistoryStays(t *testing.T) {
	w := newWorld(t, nil)
	w.take(w.m, gauge, "")
	was, _ := w.m.View().Get("lid")
	w.take(w.m, strings.Replace(gauge, "steel", "OVERWRITTEN", 1), "")
	if n, err := w.m.History().Version(t.Context(), "lid", was.Own); err != nil || n.Content != "steel" {
		t.Errorf("got %+v, %v", n, err)
	}
	past, err := w.m.History().At(t.Context(), "seq:1")
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := past.Get("lid"); n.Content != "steel" {
		t.Errorf("then it held %q", n.Content)
	}
}

// TestDefect15TreesAtOnce: trees that come at the same time are all there.
func TestDefect15TreesAtOnce(t *testing.T) {
	w := newWorld(t, nil)
	const writers, each = 8, 10
	trees := make([][]*ast.Tree, writers)
	for i := range trees {
		for j := range each {
			trees[i] = append(trees[i], parsed(t, fmt.Sprintf(`{"type":"headline","properties":{"ID":"%d-%d"},"contents":[{"type":"paragraph",`+
				`"raw-content":"x"}]}`, i, j)))
		}
	}
	var all sync.WaitGroup
	for _, mine := range trees {
		all.Go(func() {
			for _, tree := range mine {
				if _, _, _, err := w.m.IngestTree(t.Context(), tree, "", nil); err != nil {
					t.Error(err)
				}
				w.m.View().Len()
			}
		})
	}
	all.Wait()
	if got := w.m.View().Len(); got != 2*writers*each {
		t.Errorf("%d nodes", got)
	}
}

// TestDefect18SnapshotsShareNothing: a snapshot of nodes that stand in no file is not
// spoiled by what happens later, nor by going back to it.
func TestDefect18SnapshotsShareNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.take(w.m, gauge, "")
	root := w.m.View().Root()
	for range 3 {
		if _, err := w.m.Notes().Edit(t.Context(), "gauge", nil, document.AddTag{Tag: "corrupt"}, document.SetTitle{Title: "BAD"}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
			t.Fatal(err)
		}
		if n, _ := w.m.View().Get("gauge"); w.m.View().Root() != root || n.Title() != "Gauge" {
			t.Fatalf("it came back as %s", n.Title())
		}
	}
}

// TestIDsWithPrefix: an id of the seed's form is an id like any other, wherever it
// comes from.
func TestIDsWithPrefix(t *testing.T) {
	const id = "id-3c7f0c1e-6f0e-4a6e-9d0b-0f3b1c2d4e5f"
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: " + id + "1\n:END:\n[[id:" + id + "]]\n"})
	v := w.ingest()
	if _, ok := v.Get(id + "1"); !ok {
		t.Error("a file's is not borne")
	}
	if got, _ := w.take(w.m, `{"type":"headline","properties":{"ID":"`+id+`"}}`, ""); got != id {
		t.Errorf("a tree's is %s", got)
	}
	_, given, err := w.m.Notes().Insert(t.Context(), "a.org", document.InsertHeadline{Title: "B",
		Properties: []document.Property{{Key: "ID", Value: id + "2"}}}, nil)
	if err != nil || given != id+"2" {
		t.Errorf("one that is asked for is %s, %v", given, err)
	}
}
