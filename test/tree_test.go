// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// parsed reads a tree of a test.
func parsed(t testing.TB, text string) *ast.Tree {
	t.Helper()
	tree, err := ast.DecodeTree([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// take takes a tree in and returns its id and the commit.
func (w *world) take(m *fovea.Memory, text, parent string) (string, fovea.Commit) {
	w.t.Helper()
	_, id, c, err := m.IngestTree(w.t.Context(), parsed(w.t, text), parent, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return id, c
}

// shape writes what a document holds: titles or types with the ids that are declared.
func shape(v fovea.View, id string) string {
	n, ok := v.Get(id)
	if !ok {
		return "-"
	}
	name := n.Title()
	if name == "" {
		name = n.Type
	}
	var kids []string
	for _, k := range n.Kids {
		kids = append(kids, shape(v, k))
	}
	if kids == nil {
		return name
	}
	return name + "(" + strings.Join(kids, " ") + ")"
}

const gauge = `{"type":"HEADLINE","properties":{"ID":"gauge","TITLE":"Gauge","TAGS":["rain","iot"],"TODO":"NEXT","WEIGHT":1.50},
	"raw-content":"It measures.\n","contents":[
	{"type":"headline","properties":{"ID":"lid","TITLE":"Lid"},"raw-content":"steel"},
	{"type":"paragraph","raw-content":"first"},
	{"type":"paragraph","raw-content":"second"}]}`

func TestIngestASTReturnsID(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	w.ingest()
	id, c := w.take(w.m, gauge, "")
	if id != "gauge" || c.Seq != 2 || c.Kind != "ingest" || c.Author != byOwner {
		t.Errorf("got %s, %+v", id, c)
	}
	v := w.m.View()
	if got := shape(v, id); got != "Gauge(Lid paragraph paragraph)" {
		t.Errorf("it holds %s", got)
	}
	lid, _ := v.Get("lid")
	if lid == nil || lid.Parent != "gauge" || !slices.Equal(v.Tags(lid), []string{"rain", "iot"}) {
		t.Errorf("got %+v", lid)
	}
	e, _ := query.Parse("todo:NEXT tags:rain property:WEIGHT=1.50")
	if found, err := v.Query(e, 0, time.Now()); err != nil || len(found) != 1 || found[0].ID != "gauge" {
		t.Errorf("the query finds %v, %v", idsOf(found), err)
	}
	if hits, err := v.Search("measures", 0, nil, time.Now()); err != nil || len(hits) != 1 {
		t.Errorf("the search finds %v, %v", hits, err)
	}
	w.reopen()
	if got := w.ingest(); got.Root() != v.Root() || shape(got, id) != "Gauge(Lid paragraph paragraph)" {
		t.Error("opening again and reading the folder changed it")
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify: %v, %v", problems, err)
	}
	if _, problems, err := w.m.Mending().VerifyFiles(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify files: %v, %v", problems, err)
	}
}

// One row is what happens to a memory: trees come in turn, each with the shape of
// what it gives.
func TestIngestTreeAgain(t *testing.T) {
	type step struct{ tree, parent, id, want string }
	a := func(kids string) string {
		return `{"type":"headline","properties":{"ID":"a","TITLE":"A"},"contents":[` + kids + `]}`
	}
	kid := func(id, text string) string {
		return fmt.Sprintf(`{"type":"headline","properties":{"ID":%q,"TITLE":%q},"raw-content":%q}`, id, strings.ToUpper(id), text)
	}
	nameless := `{"type":"headline","properties":{"TITLE":"Note"},"raw-content":"x"}`
	para := `{"type":"paragraph","raw-content":"x"}`
	for _, tc := range []struct {
		name  string
		steps []step
		gone  []string
	}{
		{"a child leaves", []step{{a(kid("k1", "") + "," + kid("k2", "")), "", "a", "A(K1 K2)"}, {a(kid("k1", "")), "", "a", "A(K1)"}}, []string{"k2"}},
		{"children in another order", []step{{a(kid("k1", "") + "," + kid("k2", "")), "", "a", "A(K1 K2)"},
			{a(kid("k2", "") + "," + kid("k1", "")), "", "a", "A(K2 K1)"}}, nil},
		{"a child alone keeps its parent", []step{{a(kid("k1", "")), "", "a", "A(K1)"}, {kid("k1", "new"), "", "k1", "K1"},
			{a(kid("k1", "new")), "", "a", "A(K1)"}}, nil},
		{"a child becomes another's", []step{
			{a(kid("k1", "") + "," + kid("k2", "")), "", "a", "A(K1 K2)"},
			{`{"type":"headline","properties":{"ID":"b","TITLE":"B"},"contents":[` + kid("k1", "") + `]}`, "", "b", "B(K1)"},
			{a(kid("k2", "")), "", "a", "A(K2)"},
		}, nil},
		{"below a parent", []step{{a(""), "", "a", "A"}, {kid("k1", ""), "a", "k1", "K1"}, {a(kid("k1", "")), "", "a", "A(K1)"}}, nil},
		{"a root moves below a parent", []step{{a(""), "", "a", "A"}, {kid("k1", ""), "", "k1", "K1"}, {kid("k1", ""), "a", "k1", "K1"},
			{a(kid("k1", "")), "", "a", "A(K1)"}}, nil},
		{"a nameless one below a parent is the same again", []step{{a(""), "", "a", "A"}, {nameless, "a", "", "Note"}, {nameless, "a", "", "Note"},
			{kid("k1", ""), "a", "k1", "K1"}}, nil},
		{"one of a CUSTOM_ID below a parent is the same again", []step{{a(""), "", "a", "A"},
			{`{"type":"headline","properties":{"CUSTOM_ID":"c","TITLE":"C"}}`, "a", "a::#c", "C"},
			{`{"type":"headline","properties":{"CUSTOM_ID":"c","TITLE":"D"}}`, "a", "a::#c", "D"},
			{a(`{"type":"headline","properties":{"CUSTOM_ID":"c","TITLE":"D"}}`), "", "a", "A(D)"}}, nil},
		{"a nameless one that takes another in keeps its place", []step{{a(para + "," + para + "," + kid("k1", "")), "", "a", "A(paragraph paragraph K1)"},
			{`{"type":"paragraph","raw-content":"y","contents":[` + kid("k1", "") + `]}`, "a", "", "paragraph(K1)"}}, nil},
		{"a nameless root is known by its title", []step{{nameless, "", "", "Note"},
			{`{"type":"headline","properties":{"TITLE":"Note"},"raw-content":"y"}`, "", "", "Note"}}, nil},
		{"nameless roots of other texts are others", []step{{`{"type":"paragraph","raw-content":"x"}`, "", "", "paragraph"},
			{`{"type":"paragraph","raw-content":"y"}`, "", "", "paragraph"}}, nil},
		{"a whole that comes to hold a root", []step{{kid("k1", ""), "", "k1", "K1"}, {a(kid("k1", "")), "", "a", "A(K1)"}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, nil)
			var last string
			for _, s := range tc.steps {
				id, _ := w.take(w.m, s.tree, s.parent)
				if s.id != "" && id != s.id || s.id == "" && !node.IsDerived(id) {
					t.Errorf("the id is %s, want %q", id, s.id)
				}
				if got := shape(w.m.View(), id); got != s.want {
					t.Errorf("it holds %s, want %s", got, s.want)
				}
				before := w.m.View()
				if again, c := w.take(w.m, s.tree, s.parent); again != id || c.Seq != 0 || w.m.View().Root() != before.Root() {
					t.Errorf("the same again: %s, commit %d", again, c.Seq)
				}
				last = id
			}
			for _, id := range tc.gone {
				if _, there := w.m.View().Get(id); there {
					t.Errorf("%s is still there", id)
				}
				if log, err := w.m.History().Log(t.Context(), id, 0); err != nil || len(log) == 0 {
					t.Errorf("history has lost %s: %v", id, err)
				}
			}
			root := w.m.View().Root()
			w.reopen()
			if w.m.View().Root() != root || shape(w.m.View(), last) == "-" {
				t.Error("opening again changed it")
			}
			if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
				t.Errorf("verify: %v, %v", problems, err)
			}
		})
	}
}

func TestIngestTreeRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: filed\n:END:\n"})
	w.ingest()
	w.take(w.m, gauge, "")
	loop := &ast.Tree{Type: "headline"}
	loop.Kids = []*ast.Tree{{Type: "headline", Kids: []*ast.Tree{loop}}}
	wide := &ast.Tree{Type: "headline", Kids: make([]*ast.Tree, ast.MaxTreeNodes)}
	for i := range wide.Kids {
		wide.Kids[i] = &ast.Tree{Type: "paragraph"}
	}
	deep := &ast.Tree{Type: "headline"}
	for range ast.MaxTreeDepth {
		deep = &ast.Tree{Type: "headline", Kids: []*ast.Tree{deep}}
	}
	with := func(text string) *ast.Tree { return parsed(t, text) }
	twice := with(`{"type":"headline","contents":[{"type":"headline","properties":{"ID":"x"}},{"type":"headline"}]}`)
	twice.Kids[1].Attrs = twice.Kids[0].Attrs
	for _, tc := range []struct {
		name   string
		tree   *ast.Tree
		parent string
		kind   fovea.Kind
		says   string
	}{
		{"nothing", nil, "", fovea.Invalid, "no tree"},
		{"a cycle", loop, "", fovea.Invalid, "contains itself"},
		{"a million children", wide, "", fovea.Invalid, "more than 1000000 nodes"},
		{"too deep", deep, "", fovea.Invalid, "deeper than 10000"},
		{"an id twice", twice, "", fovea.Invalid, "contents[1].properties.ID"},
		{"an id of a file", with(`{"type":"headline","contents":[{"type":"headline","properties":{"ID":"filed"}}]}`), "", fovea.Conflict, "a.org"},
		{"no parent", with(`{"type":"headline"}`), "nobody", fovea.NotFound, "no such node"},
		{"a parent in a file", with(`{"type":"headline"}`), "filed", fovea.Invalid, "a.org"},
		{"below itself", with(gauge), "gauge", fovea.Invalid, "cycle"},
		{"below its own child", with(gauge), "lid", fovea.Invalid, "cycle"},
		{"below what it moves", with(`{"type":"headline","contents":[{"type":"headline","properties":{"ID":"gauge"}}]}`), "lid", fovea.Invalid, "cycle"},
		{"its own parent below it", with(`{"type":"headline","properties":{"ID":"lid"},"contents":[{"type":"headline","properties":{"ID":"gauge"}}]}`), "",
			fovea.Invalid, "cycle"},
		{"a scope that cannot be", with(`{"type":"headline","scope":"heap"}`), "", fovea.Invalid, "scope"},
		{"a buffer without a session", with(`{"type":"org-data","properties":{"PATH":"a.org"}}`), "", fovea.Invalid, "name the session"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := w.m.View()
			_, _, _, err := w.m.IngestTree(t.Context(), tc.tree, tc.parent, nil)
			if fovea.KindOf(err) != tc.kind || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("got %v, a %v", err, fovea.KindOf(err))
			}
			if w.m.View() != before {
				t.Error("something changed")
			}
		})
	}
}

// M17, M23: a known id keeps its name, its time only moves when its own text does.
func TestTreeTimes(t *testing.T) {
	w := newWorld(t, nil)
	w.take(w.m, gauge, "")
	was, _ := w.m.View().Get("lid")
	w.take(w.m, strings.Replace(gauge, "It measures", "It weighs", 1), "")
	is, _ := w.m.View().Get("lid")
	root, _ := w.m.View().Get("gauge")
	if is.Modified != was.Modified || root.Modified <= was.Modified {
		t.Errorf("modified: %d, %d, root %d", was.Modified, is.Modified, root.Modified)
	}
}

// One changed leaf touches its ancestors alone, and history keeps the rest once.
func TestTreeLeafCostsItsAncestors(t *testing.T) {
	w := newWorld(t, nil)
	var kids []string
	for i := range 100 {
		kids = append(kids, fmt.Sprintf(`{"type":"headline","properties":{"ID":"k%d","TITLE":"K"},"raw-content":"text"}`, i))
	}
	w.take(w.m, `{"type":"headline","properties":{"ID":"a","TITLE":"A"},"contents":[`+strings.Join(kids, ",")+`]}`, "")
	id, c := w.take(w.m, strings.Replace(kids[50], "text", "changed", 1), "")
	if id != "k50" || c.Changes != 2 {
		t.Errorf("%s: %d changes", id, c.Changes)
	}
	if id, c = w.take(w.m, kids[50], ""); c.Changes != 2 {
		t.Errorf("%s back again: %d changes", id, c.Changes)
	}
}

func TestTreeSnapshotsAndRollback(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	w.ingest()
	w.take(w.m, gauge, "")
	root := w.m.View().Root()
	w.take(w.m, `{"type":"headline","properties":{"ID":"gauge","TITLE":"Spoiled"}}`, "")
	if s := w.m.History().Snapshots(); len(s) != 2 || s[0].Root != root {
		t.Errorf("snapshots: %+v", s)
	}
	for range 3 {
		before := w.m.View().Root()
		if _, files, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil || len(files) > 0 {
			t.Fatalf("%v, %v", files, err)
		}
		if w.m.View().Root() == before {
			t.Error("nothing was rolled back")
		}
	}
	if w.m.View().Root() != root || shape(w.m.View(), "gauge") != "Gauge(Lid paragraph paragraph)" {
		t.Error("another state than the one before")
	}
	w.write(map[string]string{"a.org": "* B\n"})
	w.ingest()
	if _, files, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{MemoryOnly: true}); err != nil || !slices.Equal(files, []string{"a.org"}) {
		t.Errorf("memory only: %v, %v", files, err)
	}
}

// TestSessionsKeepToThemselves: a session's nodes are seen by who names it alone.
func TestSessionsKeepToThemselves(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n"})
	w.ingest()
	id, c := w.take(w.m, `{"type":"headline","properties":{"ID":"s","TITLE":"Secret"},"scope":"session/one"}`, "")
	if id != "s" || c.Seq != 1 {
		t.Errorf("got %s, %+v", id, c)
	}
	w.take(w.m, `{"type":"headline","properties":{"ID":"p","TITLE":"Plan"},"scope":"project/boat"}`, "")
	for _, tc := range []struct {
		scopes []string
		sees   map[string]string
	}{
		{nil, map[string]string{}},
		{[]string{"session/two"}, map[string]string{}},
		{[]string{"session/one"}, map[string]string{"s": "session/one"}},
		{[]string{"project/boat"}, map[string]string{"p": "project/boat"}},
		{[]string{"project/boat", "session/one"}, map[string]string{"s": "session/one", "p": "project/boat"}},
	} {
		v := w.over(tc.scopes...)
		hits, err := v.Search("secret plan", 0, nil, time.Now())
		if err != nil || len(hits) != len(tc.sees) {
			t.Errorf("%v: the search finds %v, %v", tc.scopes, hitList(hits), err)
		}
		for _, id := range []string{"s", "p"} {
			n, there := v.Get(id)
			scope, want := tc.sees[id]
			if there != want || there && v.Scope(n) != scope {
				t.Errorf("%v: %s is there: %v", tc.scopes, id, there)
			}
		}
		sameAnswers(t, fresh(v), v)
	}
}

// TestBuffer: what an editor has not saved lies over the file in its session, until
// the file is saved.
func TestBuffer(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n", "b.org": "* B\n:PROPERTIES:\n:ID: b\n:END:\n"})
	w.session = "emacs"
	w.reopen()
	w.ingest()
	buffer := func(file, title string) string {
		return fmt.Sprintf(`{"type":"org-data","properties":{"PATH":%q},"contents":[{"type":"headline","properties":{"ID":%q,"TITLE":%q},"raw-content":"draft"}]}`,
			file, strings.TrimSuffix(file, ".org"), title)
	}
	root := w.m.View().Root()
	id, _ := w.take(w.m, buffer("a.org", "Draft"), "")
	if d, _ := w.m.View().Get(id); d == nil || d.Path != "a.org" {
		t.Errorf("its id %s is not the file's", id)
	}
	see := func(want string) {
		t.Helper()
		n, ok := w.over("session/emacs").Get("a")
		if !ok || n.Title() != want {
			t.Errorf("the session sees %v, want %s", n, want)
		}
	}
	see("Draft")
	if w.m.View().Root() != root || len(w.m.History().Snapshots()) > 0 {
		t.Error("the memex noticed")
	}
	s := w.scope("session/emacs")
	if _, err := s.Notes().Edit(t.Context(), "a", nil, document.SetTitle{Title: "x"}); fovea.KindOf(err) != fovea.Busy {
		t.Errorf("an edit of a buffer: %v", err)
	}
	w.take(w.m, buffer("a.org", "Second"), "")
	see("Second")
	if _, _, err := s.History().Rollback(t.Context(), "seq:1", nil); err != nil {
		t.Error(err)
	}
	see("Draft")
	w.reopen()
	see("Draft")
	if _, id, _, err := w.m.IngestTree(t.Context(), parsed(t, strings.Replace(buffer("a.org", "A"), `"ID":"a"`, `"ID":"b"`, 1)),
		"", nil); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("an id of another file: %s, %v", id, err)
	}
	saved := "* Saved\n:PROPERTIES:\n:ID: a\n:END:\n"
	w.write(map[string]string{"a.org": saved})
	w.ingest()
	see("Saved")
	w.write(map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n"})
	w.ingest()
	see("A") // what has ended does not begin again
}

func TestEditTree(t *testing.T) {
	w := newWorld(t, nil)
	w.take(w.m, gauge, "")
	first, _ := w.m.View().Get("gauge")
	edit := func(id string, edits ...document.Edit) {
		t.Helper()
		if _, err := w.m.Notes().Edit(t.Context(), id, nil, edits...); err != nil {
			t.Fatal(err)
		}
	}
	edit("lid", document.SetTodo{Keyword: "DONE"}, document.SetTitle{Title: "Cover"}, document.AddTag{Tag: "metal"}, document.SetProperty{Key: "mass", Value: "2"},
		document.Deadline{When: "2026-03-01"}, document.AppendBody{Text: "more"})
	n, _ := w.m.View().Get("lid")
	got := []string{n.Title(), n.Derived.Todo, fmt.Sprint(n.Derived.Done), strings.Join(n.Derived.Tags, " "), strings.Join(n.Derived.Property("MASS"), " "),
		n.Derived.Deadline, n.Content}
	if diff := cmp.Diff([]string{"Cover", "DONE", "true", "metal", "2", "<2026-03-01 Sun>", "steel\nmore"}, got); diff != "" {
		t.Error(diff)
	}
	edit("gauge", document.RemoveTag{Tag: "iot"}, document.RemoveProperty{Key: "WEIGHT"}, document.SetTodo{}, document.ReplaceBody{Text: "new"})
	g, _ := w.m.View().Get("gauge")
	if g.Content != "new" || g.Derived.Todo != "" || !slices.Equal(g.Derived.Tags, []string{"rain"}) || g.Derived.Property("WEIGHT") != nil {
		t.Errorf("got %+v", g.Derived)
	}
	c, id, err := w.m.Notes().Insert(t.Context(), "gauge", document.InsertHeadline{Title: "Base", Todo: "TODO", Tags: []string{"wood"}, Body: "oak"}, nil)
	if err != nil || c.Seq == 0 || shape(w.m.View(), "gauge") != "Gauge(Cover paragraph paragraph Base)" || uuid.Validate(id) != nil {
		t.Errorf("insert: %v, %s, %s", err, id, shape(w.m.View(), "gauge"))
	}
	edit("lid", document.Delete{})
	if got := shape(w.m.View(), "gauge"); got != "Gauge(paragraph paragraph Base)" {
		t.Errorf("it holds %s", got)
	}
	_, err = w.m.Notes().Edit(t.Context(), "gauge", &fovea.WriteOptions{Base: first.Own}, document.ReplaceBody{Text: "mine"})
	if e, _ := err.(*fovea.Error); fovea.KindOf(err) != fovea.Conflict || e.Theirs != "new" || e.Mine != "mine" {
		t.Errorf("a stale digest: %v", err)
	}
	_, err = w.m.Notes().Edit(t.Context(), "gauge", &fovea.WriteOptions{Base: n.Own}, document.AppendBody{Text: "mine"})
	if e, _ := err.(*fovea.Error); fovea.KindOf(err) != fovea.Conflict || e.Mine != "" {
		t.Errorf("the digest of another node shows its text: %v", err)
	}
	for name, bad := range map[string]document.Edit{
		"a new id": document.SetProperty{Key: "ID", Value: "other"}, "no id": document.RemoveProperty{Key: "id"}, "a tag": document.AddTag{Tag: "a b"},
		"a date": document.Schedule{When: "soon"}, "an item": document.CheckItem{Line: 1, State: "X"}, "two lines": document.SetTitle{Title: "a\nb"},
	} {
		before := w.m.View()
		if _, err := w.m.Notes().Edit(t.Context(), "gauge", nil, bad); fovea.KindOf(err) != fovea.Invalid || w.m.View() != before {
			t.Errorf("%s: %v", name, err)
		}
	}
	edit("gauge", document.Delete{})
	if w.m.View().Len() != 0 {
		t.Errorf("%d nodes are left", w.m.View().Len())
	}
}
