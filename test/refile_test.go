// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

func TestRefile(t *testing.T) {
	moved := strings.Replace(headed("One", "one"), "* ", "** ", 1)
	for _, tc := range []struct {
		name   string
		target string
		want   map[string]string
		kind   fovea.Kind
	}{
		{"below a headline of another file", "b", map[string]string{"a.org": headed("Two", "two"), "b.org": headed("B", "b") + moved}, 0},
		{"below a headline of its file", "two", map[string]string{"a.org": headed("Two", "two") + moved, "b.org": headed("B", "b")}, 0},
		{"below itself", "one", nil, fovea.Invalid},
		{"nowhere", "none", nil, fovea.NotFound},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": headed("One", "one") + headed("Two", "two"), "b.org": headed("B", "b")})
			w.ingest()
			before := w.onDisk()
			c, err := w.m.Notes().Refile(t.Context(), "one", tc.target, nil)
			if tc.want == nil {
				if fovea.KindOf(err) != tc.kind || err == nil {
					t.Errorf("got %v, want kind %v", err, tc.kind)
				}
				tc.want = before
			} else if err != nil || c.Seq != 2 || c.Kind != "edit" {
				t.Fatalf("commit %+v, %v", c, err)
			}
			if diff := cmp.Diff(tc.want, w.onDisk()); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, documentsOf(w.ingest())); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if _, ok := w.m.View().Get("one"); !ok {
				t.Error("the node lost its id")
			}
		})
	}
}

func TestArchive(t *testing.T) {
	const outside = "lies outside the memex, and notes stay in it; let #+ARCHIVE or the property ARCHIVE name a file of the memex"
	for _, tc := range []struct {
		name     string
		settings string
		files    map[string]string
		file     string
		kind     fovea.Kind
		why      string
	}{
		{name: "new archive", file: "a.org_archive"},
		{name: "archive that is there", file: "a.org_archive", files: map[string]string{"a.org_archive": "* Old\n"}},
		{name: "one archive for all", settings: "#+ARCHIVE: old/%s_archive::\n", file: "old/a.org_archive"},
		{name: "outside", settings: "#+ARCHIVE: ../%s_archive::\n", kind: fovea.Invalid, why: outside},
		{name: "outside, far above", settings: "#+ARCHIVE: ../../../%s_archive::\n", kind: fovea.Invalid, why: outside},
		{name: "outside, absolute", settings: "#+ARCHIVE: /srv/archive.org::\n", kind: fovea.Invalid, why: outside},
		{name: "outside, at home", settings: "#+ARCHIVE: ~/archive.org::\n", kind: fovea.Invalid, why: outside},
		{name: "outside, another machine", settings: "#+ARCHIVE: /ssh:host:/archive.org::\n", kind: fovea.Invalid, why: outside},
		{name: "inside, by a detour", settings: "#+ARCHIVE: x/../%s_archive::\n", file: "a.org_archive"},
		{name: "no Org file", settings: "#+ARCHIVE: old.txt::\n", kind: fovea.Invalid},
		{name: "itself", settings: "#+ARCHIVE: %s::\n", kind: fovea.Invalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": tc.settings + headed("One", "one") + headed("Two", "two")})
			w.ingest()
			w.write(tc.files) // memory has not seen it
			before := w.onDisk()
			c, err := w.m.Notes().Archive(t.Context(), "one", nil)
			if tc.file == "" {
				if fovea.KindOf(err) != tc.kind || err == nil || !strings.Contains(err.Error(), tc.why) || !cmp.Equal(before, w.onDisk()) {
					t.Errorf("got %v, want kind %v and no change", err, tc.kind)
				}
				return
			}
			if err != nil || c.Author != byOwner {
				t.Fatalf("commit %+v, %v", c, err)
			}
			got := w.onDisk()
			if want := tc.settings + headed("Two", "two"); got["a.org"] != want {
				t.Errorf("the file holds %q, want %q", got["a.org"], want)
			}
			archive := got[tc.file]
			for _, part := range []string{tc.files[tc.file], "* One", ":ARCHIVE_TIME:", ":ARCHIVE_FILE:", ":ID: one"} {
				if !strings.Contains(archive, part) {
					t.Errorf("the archive lacks %q:\n%s", part, archive)
				}
			}
			if n, ok := w.ingest().Get("one"); !ok || n.Path != tc.file {
				t.Errorf("the node is at %+v", n)
			}
			if diff := cmp.Diff(got, documentsOf(w.m.View())); diff != "" {
				t.Errorf("documents (-files +memory):\n%s", diff)
			}
		})
	}
}

func TestAssignIDs(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n** Two\ntext\n" + headed("Three", "three"), "b.org": "* B\n"})
	v := w.ingest()
	var all []string
	for n := range v.All() {
		all = append(all, n.ID)
	}
	c, ids, err := w.m.Notes().AssignIDs(t.Context(), append(all, all[1]), nil)
	if err != nil || c.Seq != 2 || len(ids) != len(all)+1 || ids[1] != ids[len(all)] {
		t.Fatalf("commit %+v, ids %q, %v", c, ids, err)
	}
	v = w.ingest()
	if v.Head().Seq != 2 {
		t.Errorf("the next scan made commit %+v", v.Head())
	}
	k := 0
	for n := range v.All() {
		if n.ID != ids[k] || n.ID == "three" && all[k] != "three" || n.ID != "three" && len(n.ID) != len("6ba7b810-9dad-41d1-80b4-00c04fd430c8") {
			t.Errorf("node %d has id %q, told %q", k, n.ID, ids[k])
		}
		k++
	}
	if log, err := w.m.History().Log(t.Context(), ids[2], 0); err != nil || len(log) != 2 {
		t.Errorf("the history before the new id is lost: %+v, %v", log, err)
	}
	if c, again, err := w.m.Notes().AssignIDs(t.Context(), ids, nil); err != nil || c.Seq != 0 || !cmp.Equal(ids, again) {
		t.Errorf("a second time: %+v, %q, %v", c, again, err)
	}
}

// TestReadingAddsNoIDs: nothing but AssignIDs puts an :ID: into a file.
func TestReadingAddsNoIDs(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n* Two\n"})
	v := w.ingest()
	for n := range v.All() {
		if n.Title() == "One" {
			if _, err := w.m.Notes().Edit(t.Context(), n.ID, nil, document.SetTitle{Title: "Uno"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := w.onDisk()["a.org"], "* Uno\n* Two\n"; got != want {
		t.Errorf("the file holds %q, want %q", got, want)
	}
}

// TestRefileOntoOwnParent: what is the last child of a node already stays where it is,
// in a file, whatever its end, and in a tree; a child that is not becomes the last.
func TestRefileOntoOwnParent(t *testing.T) {
	for _, text := range []string{"* P\n** C\n", "* P\n** C", "* P\r\n** C", "* P\n** B\n** C\n\n\n", "* P\n** C\n*** D", "* P\n** C\n* Q\n"} {
		w := newWorld(t, map[string]string{"a.org": text})
		v := w.ingest()
		id := map[string]string{}
		for n := range v.All() {
			id[n.Title()] = n.ID
		}
		if _, err := w.m.Notes().Refile(t.Context(), id["C"], id["P"], nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := w.onDisk()["a.org"]; got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	w := newWorld(t, nil)
	w.ingest()
	w.take(w.m, `{"type":"headline","properties":{"ID":"p","TITLE":"P"},"contents":[
		{"type":"headline","properties":{"ID":"b","TITLE":"B"},"raw-content":"text"},
		{"type":"headline","properties":{"ID":"c","TITLE":"C"},"raw-content":"text"}]}`, "")
	for _, move := range []struct{ id, want string }{{"c", "P(B C)"}, {"b", "P(C B)"}} {
		if _, err := w.m.Notes().Refile(t.Context(), move.id, "p", nil); err != nil {
			t.Error(err)
		}
		if got := shape(w.m.View(), "p"); got != move.want {
			t.Errorf("%s onto its parent: %s, want %s", move.id, got, move.want)
		}
	}
}
