// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// serve gives the operations over a memory, as every face uses them.
func (w *world) serve() api.Service { return api.NewLocal(w.m, nil) }

// get returns the node a person means, or fails.
func get(t *testing.T, v fovea.View, name string) *node.Node {
	t.Helper()
	n, err := v.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// consistencyFiles are one folder of which TestMerkleHashConsistency knows the root.
var consistencyFiles = map[string]string{
	"a.org":     "#+title: A\n* TODO Root :x:y:\n:PROPERTIES:\n:ID: root\n:EFFORT: 1:00\n:END:\nbody\n** Leaf\n** Leaf\nsecond\n",
	"sub/b.org": "* سلام 😀\r\nétude\r\n* \xff\x00",
	"skills/c":  "not Org",
}

// consistencyRoot pins format 1 of the map: every process, machine and locale gives it.
const consistencyRoot = "bafyreihw4fyuvhhhcor3evbr4yziqiy27nkletafmz3fp4wzojmgfbqqtm"

// TestMerkleHashConsistency is the contract's test merkle-hash-consistency: one
// tree twice into emptied memory has equal digests, in any process.
func TestMerkleHashConsistency(t *testing.T) {
	w := newWorld(t, consistencyFiles)
	first := w.ingest()
	versions := map[string]merkle.Digest{}
	for n := range first.All() {
		versions[n.ID] = n.Version
	}
	for name := range consistencyFiles {
		w.remove(name)
	}
	if got, want := w.ingest().Root(), (newWorld(t, nil)).m.View().Root(); got != want || w.m.View().Len() != 0 {
		t.Errorf("an emptied memory has root %s, one that never held anything %s", got, want)
	}
	w.write(consistencyFiles)
	again := w.ingest()
	for n := range again.All() {
		if n.Version != versions[n.ID] {
			t.Errorf("%s (%s) has version %s, had %s", n.ID, n.Title(), n.Version, versions[n.ID])
		}
	}
	if first.Root() != again.Root() || first.Len() != again.Len() {
		t.Errorf("root %s of %d nodes, had %s of %d", again.Root(), again.Len(), first.Root(), first.Len())
	}
	if got := again.Root().String(); got != consistencyRoot {
		t.Errorf("root %s, every other process gives %s", got, consistencyRoot)
	}
}

// TestMerkleHashCascading is the contract's test merkle-hash-cascading: a changed
// leaf changes its ancestors up to the root and nothing beside them, also where
// it is the only thing that is read again, and the commit holds no more than that.
func TestMerkleHashCascading(t *testing.T) {
	const text = "* Top\n:PROPERTIES:\n:ID: top\n:END:\n** Middle\n:PROPERTIES:\n:ID: middle\n:END:\n*** Leaf\n:PROPERTIES:\n:ID: leaf\n:END:\n** Sibling\n"
	w := newWorld(t, map[string]string{"a.org": text, "b.org": "* Elsewhere\n"})
	before := w.ingest()
	w.write(map[string]string{"a.org": strings.Replace(text, "Leaf", "Leaf, renamed", 1)})
	after := w.ingest()
	if before.Root() == after.Root() {
		t.Error("the root is the same")
	}
	for _, tc := range []struct {
		name         string
		own, version bool // whether they change
	}{
		{"leaf", true, true}, {"middle", false, true}, {"top", false, true}, {"a.org", false, true},
		{"Sibling", false, false}, {"Elsewhere", false, false}, {"b.org", false, false},
	} {
		a, b := get(t, before, tc.name), get(t, after, tc.name)
		if (a.Own != b.Own) != tc.own || (a.Version != b.Version) != tc.version {
			t.Errorf("%s: own digest changed %t, version %t; want %t, %t", tc.name, a.Own != b.Own, a.Version != b.Version, tc.own, tc.version)
		}
		if a.ID != b.ID || b.Parent != a.Parent {
			t.Errorf("%s: id %s below %s, was %s below %s", tc.name, b.ID, b.Parent, a.ID, a.Parent)
		}
	}
	if n := after.Head().Changes; n != 4 {
		t.Errorf("the commit records %d nodes, want the leaf and its three ancestors", n)
	}
}

// TestHistoryStoreImmutability is the contract's test history-store-immutability:
// both versions are found by digest, whatever was done to what was handed out.
func TestHistoryStoreImmutability(t *testing.T) {
	const one, two = "* Version 1\n:PROPERTIES:\n:ID: v\n:END:\n", "* Version 2\n:PROPERTIES:\n:ID: v\n:END:\n"
	w := newWorld(t, map[string]string{"a.org": one})
	first := get(t, w.ingest(), "v")
	w.write(map[string]string{"a.org": two})
	second := get(t, w.ingest(), "v")
	if second.Content != two {
		t.Fatalf("live is %q", second.Content)
	}
	check := func(when string) {
		t.Helper()
		for _, want := range []*node.Node{first, second} {
			n, err := w.m.History().Version(t.Context(), "v", want.Own)
			if err != nil || n.Content != want.Content || n.Own != want.Own || n.Title() != want.Title() {
				t.Errorf("%s: Version gives %+v, %v", when, n, err)
			}
			for _, at := range []string{want.Own.String(), want.Version.String(), fmt.Sprintf("%x", want.Own[:])} {
				s, err := api.OpShow.Call(t.Context(), w.serve(), api.ShowRequest{ID: "v", At: at})
				if err != nil || s.Content != want.Content || s.Digest != want.Own.String() {
					t.Errorf("%s: show at %s gives %+v, %v; want %q", when, at, s, err, want.Content)
				}
			}
		}
		if s, err := api.OpShow.Call(t.Context(), w.serve(), api.ShowRequest{ID: "Version 2", At: first.Own.String()}); err != nil || s.Content != one {
			t.Errorf("%s: by its present title the first version is %+v, %v", when, s, err)
		}
	}
	check("while it runs")
	w.reopen()
	check("after a restart")
	if _, err := w.m.History().Version(t.Context(), "v", merkle.Sum([]byte("never"))); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("a version that never was: %v, want not found", err)
	}
}

// TestCowSnapshotAndRollback is the contract's test cow-snapshot-and-rollback: A, a
// snapshot, B, and rolling back to 0 gives A while B stays in history.
func TestCowSnapshotAndRollback(t *testing.T) {
	const a, b = "* A\n:PROPERTIES:\n:ID: n\n:END:\n", "* B\n:PROPERTIES:\n:ID: n\n:END:\n"
	w := newWorld(t, map[string]string{"a.org": a})
	held := w.ingest()
	if _, err := w.m.History().Snapshot(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	w.write(map[string]string{"a.org": b})
	bad := get(t, w.ingest(), "n")
	for round := range 2 { // a second rollback must not meet a snapshot spoilt by the first
		r, err := api.OpRollback.Call(t.Context(), w.serve(), api.RollbackRequest{To: "0"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Root != held.Root().String() || get(t, w.m.View(), "n").Content != a || w.onDisk()["a.org"] != a {
			t.Fatalf("round %d: rolling back gives %q", round, get(t, w.m.View(), "n").Content)
		}
		if n, err := w.m.History().Version(t.Context(), "n", bad.Own); err != nil || n.Content != b {
			t.Errorf("round %d: B in history: %+v, %v", round, n, err)
		}
		w.write(map[string]string{"a.org": b})
		w.ingest()
	}
	if got := get(t, held, "n").Content; got != a {
		t.Errorf("a view taken before holds %q", got)
	}
}

// TestMerkleHashDifferent is the contract's test merkle-hash-different: another
// tree has another digest. Each is a text that a preimage without lengths, types
// or order could take for another one of them.
func TestMerkleHashDifferent(t *testing.T) {
	texts := map[string]string{
		"nothing": "", "a line end": "\n", "one": "* T\nbody\n", "other title": "* U\nbody\n", "other body": "* T\nBody\n", "no body": "* T\n",
		"empty body":            "* T\n\n",
		"title and body joined": "* T body\n", "a level more": "** T\nbody\n", "no line end": "* T\nbody", "CRLF": "* T\r\nbody\r\n", "beyond Latin-1": "* T\nبدن\n",
		"child": "* T\nbody\n** A\n** B\n", "other order": "* T\nbody\n** B\n** A\n", "nested": "* T\nbody\n** A\n*** B\n", "beside": "* T\nbody\n* A\n** B\n",
		"children joined":        "* T\nbody\n** A ** B\n",
		"delimiter in the title": "* T|CONTENT:body\n", "delimiter in the body": "* T\n|CONTENT:body\n",
		"empty id": "* T\n:PROPERTIES:\n:ID:\n:END:\nbody\n", "id": "* T\n:PROPERTIES:\n:ID: 1\n:END:\nbody\n",
		"quoted id":  "* T\n:PROPERTIES:\n:ID: \"1\"\n:END:\nbody\n",
		"properties": "* T\n:PROPERTIES:\n:A: 1\n:B: 2\n:END:\n", "properties in other order": "* T\n:PROPERTIES:\n:B: 2\n:A: 1\n:END:\n",
		"properties joined": "* T\n:PROPERTIES:\n:A: 1 :B: 2\n:END:\n",
		"tags":              "* T :a:b:\n", "tags in other order": "* T :b:a:\n", "keyword": "* TODO T\n", "other keyword": "* DONE T\n",
	}
	roots, versions := map[merkle.Digest]string{}, map[merkle.Digest]string{}
	differs := func(seen map[merkle.Digest]string, d merkle.Digest, name string) {
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", name, other)
		}
		seen[d] = name
	}
	for name, text := range texts {
		v := newWorld(t, map[string]string{"a.org": text}).ingest()
		differs(roots, v.Root(), name)
		differs(versions, get(t, v, "a.org").Version, name)
	}
	moved := newWorld(t, map[string]string{"b.org": texts["one"]}).ingest()
	differs(roots, moved.Root(), "another path")
	if got := versions[get(t, moved, "b.org").Version]; got != "one" {
		t.Errorf("the version depends on the path: it is that of %q", got)
	}
}

// TestMemoryObjectGet is the contract's test test-memory-object-get: the node is
// found, a headline with its title, all its fields, and nothing that leads back
// into the memory.
func TestMemoryObjectGet(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "#+filetags: :area:\n* TODO [#A] Found :x:\nSCHEDULED: <2026-11-20 Fri>\n:PROPERTIES:\n:ID: here\n:KEY: one\n" +
		":key+: two\n:END:\nbody\n** Kid\n** Kid\n"})
	w.ingest()
	svc := w.serve()
	show := func() *api.Shown {
		t.Helper()
		s, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "here"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := show()
	want := map[string]any{
		"TITLE": "Found", "TODO": "TODO", "PRIORITY": "A", "SCHEDULED": "<2026-11-20 Fri>", "ID": "here",
		"KEY": []string{"one", "two"}, "TAGS": []string{"x"}, "ALLTAGS": []string{"area", "x"},
	}
	if diff := cmp.Diff(want, s.Attributes); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	v := w.m.View()
	n, ok := v.Get("here")
	doc := get(t, v, "a.org")
	if !ok || s.Type != "headline" || s.Title != "Found" || s.Content != n.Content || s.Digest != n.Own.String() || s.Version != n.Version.String() ||
		s.Parent != doc.ID || s.Scope != "memex" || s.Path != "a.org" || s.Line != 2 || s.Modified.IsZero() || s.Synced.IsZero() {
		t.Errorf("shown: %+v", s)
	}
	if len(s.Children) != 2 || s.Children[0] == s.Children[1] {
		t.Fatalf("children %v, want two", s.Children)
	}
	s.Children[0], s.Attributes["TAGS"].([]string)[0] = "spoilt", "spoilt"
	if list, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Query: "type:document"}); err != nil || len(list) != 1 {
		t.Errorf("documents: %v, %v", list, err)
	} else {
		list[0].Tags[0] = "spoilt"
	}
	if again := show(); again.Children[0] == "spoilt" || !cmp.Equal(want, again.Attributes) {
		t.Errorf("what a caller did to an answer is in the memory: %+v", again)
	}
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify: %+v, %v", problems, err)
	}
	if _, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "gone"}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("an unknown id: %v, want not found", err)
	}
}

// TestSnapshotAndRollback is the contract's test test-snapshot-and-rollback: the
// old node is back, the newer one gone.
func TestSnapshotAndRollback(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Old\n:PROPERTIES:\n:ID: old\n:END:\n"})
	w.ingest()
	svc := w.serve()
	if _, err := api.OpSnapshot.Call(t.Context(), svc, api.SnapshotRequest{Name: "good"}); err != nil {
		t.Fatal(err)
	}
	w.write(map[string]string{"a.org": "* Newer\n:PROPERTIES:\n:ID: newer\n:END:\n"})
	v := w.ingest()
	if _, ok := v.Get("old"); ok {
		t.Error("a headline that left its file is still in the memory")
	}
	for _, to := range []string{"good", "0", "seq:1"} { // "0" is the state with the newer node by then
		if _, err := api.OpRollback.Call(t.Context(), svc, api.RollbackRequest{To: to}); err != nil {
			t.Fatal(err)
		}
		_, old := w.m.View().Get("old")
		_, newer := w.m.View().Get("newer")
		if want := to != "0"; old != want || newer == want {
			t.Errorf("after rolling back to %s: old %t, newer %t", to, old, newer)
		}
	}
	for _, tc := range []struct {
		to   string
		want fovea.Kind
	}{{"99", fovea.NotFound}, {"nowhere", fovea.NotFound}, {"seq:99", fovea.NotFound}, {"-1", fovea.Invalid}, {"-2", fovea.Invalid}} {
		head, files := w.m.View().Head(), w.onDisk()
		_, err := api.OpRollback.Call(t.Context(), svc, api.RollbackRequest{To: tc.to})
		if fovea.KindOf(err) != tc.want {
			t.Errorf("rolling back to %s: %v, want %s", tc.to, err, tc.want)
		}
		if w.m.View().Head().Seq != head.Seq || !cmp.Equal(files, w.onDisk()) {
			t.Errorf("rolling back to %s changed something", tc.to)
		}
	}
}

// TestLocalRoundtrip is the contract's test test-local-roundtrip: id and content
// survive dump, clear and load, from the journal and from an image.
func TestLocalRoundtrip(t *testing.T) {
	for name, padding := range map[string]int{"journal": 0, "image": 2 << 20} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"a.org":   "* Kept\n:PROPERTIES:\n:ID: kept\n:END:\ncontent, سلام 😀\r\n** \xff\xfe\n* No id\n",
				"big.org": "* Big\n" + strings.Repeat("line\n", padding/5),
			}
			w := newWorld(t, files)
			before := w.ingest()
			w.write(map[string]string{"a.org": files["a.org"] + "* Later\n"})
			after := w.ingest()
			if err := w.m.Close(); err != nil {
				t.Fatal(err)
			}
			if images, _ := filepath.Glob(filepath.Join(w.state, "image", "*.img")); (len(images) > 0) != (padding > 0) {
				t.Fatalf("images %v", images)
			}
			for path := range files {
				w.remove(path) // memory has to come from the state folder alone
			}
			w.open()
			v := w.m.View()
			if v.Root() != after.Root() || v.Head().Digest != after.Head().Digest {
				t.Errorf("root %s at commit %d, want %s at %d", v.Root(), v.Head().Seq, after.Root(), after.Head().Seq)
			}
			for want := range after.All() {
				got, ok := v.Get(want.ID)
				if !ok || got.Content != want.Content || got.Own != want.Own || got.Modified != want.Modified || !cmp.Equal(got.Derived, want.Derived) {
					t.Errorf("%s came back as %+v", want.ID, got)
				}
			}
			past, err := w.m.History().At(t.Context(), "seq:1")
			if err != nil || !cmp.Equal(documentsOf(past), documentsOf(before)) {
				t.Errorf("history did not come back: %v", err)
			}
			w.write(map[string]string{"a.org": files["a.org"] + "* Later\n", "big.org": files["big.org"]})
			if got := w.ingest().Head(); got.Digest != after.Head().Digest {
				t.Errorf("reading the folder again made commit %d", got.Seq)
			}
		})
	}
}
