// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/query"
)

// TestRefileTreeKeepsText: a text that comes twice stands in the file twice.
func TestRefileTreeKeepsText(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: filed\n:END:\n"})
	w.ingest()
	w.take(w.m, `{"type":"headline","properties":{"ID":"t","TITLE":"T"},"raw-content":"Say yes.\nNo.\n","contents":[
		{"type":"paragraph","raw-content":"Say yes.\nNo.\n","contents":["Say yes.\n","No.\n"]},"yes","yes"]}`, "")
	if _, err := w.m.Notes().Refile(t.Context(), "t", "filed", nil); err != nil {
		t.Fatal(err)
	}
	if text := w.onDisk()["a.org"]; !strings.HasSuffix(text, ":END:\nSay yes.\nNo.\nyes\nyes\n") {
		t.Errorf("the file holds %s", text)
	}
}

// TestRefileTreeAgain: a refile that failed changes nothing, though the node gets an
// ID on the way, and is done when its op comes again.
func TestRefileTreeAgain(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: filed\n:END:\n"})
	w.ingest()
	id, _ := w.take(w.m, `{"type":"headline","properties":{"TITLE":"Note"},"raw-content":"text"}`, "")
	lock := filepath.Join(w.dir, ".#a.org")
	if err := os.Symlink("me@elsewhere.1", lock); err != nil {
		t.Fatal(err)
	}
	before := w.m.View()
	if _, err := w.m.Notes().Refile(t.Context(), id, "filed", withKey("once")); fovea.KindOf(err) != fovea.Busy || w.m.View() != before {
		t.Fatalf("into a file that is held: %v", err)
	}
	w.remove(".#a.org")
	for range 2 {
		if _, err := w.m.Notes().Refile(t.Context(), id, "filed", withKey("once")); err != nil {
			t.Fatal(err)
		}
		if got := shape(w.m.View(), "filed"); got != "A(Note)" {
			t.Errorf("the file holds %s", got)
		}
	}
}

// TestRefileTree moves memory-backed nodes below each other, and into a file.
func TestRefileTree(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Sensors\n:PROPERTIES:\n:ID: sensors\n:END:\n"})
	w.ingest()
	w.take(w.m, `{"type":"headline","properties":{"ID":"gauge","TITLE":"Gauge","TODO":"TODO","TAGS":["rain"],"WEIGHT":1.50,
		"SCHEDULED":"<2026-03-01 Sun>","ALIAS":["x","y"]},"raw-content":"It measures.",
		"contents":[{"type":"headline","properties":{"TITLE":"Lid"},"raw-content":"steel"},
			{"type":"paragraph","raw-content":"It measures."},{"type":"paragraph","raw-content":"Twice."}]}`, "")
	w.take(w.m, `{"type":"headline","properties":{"ID":"b","TITLE":"B"}}`, "")
	if _, err := w.m.Notes().Refile(t.Context(), "gauge", "b", nil); err != nil || shape(w.m.View(), "b") != "B(Gauge(Lid paragraph paragraph))" {
		t.Fatalf("%v, %s", err, shape(w.m.View(), "b"))
	}
	if _, err := w.m.Notes().Refile(t.Context(), "b", "gauge", nil); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("below itself: %v", err)
	}
	c, err := w.m.Notes().Refile(t.Context(), "gauge", "sensors", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := w.m.View()
	text, err := os.ReadFile(filepath.Join(w.dir, "a.org"))
	if err != nil {
		t.Fatal(err)
	}
	lid := ""
	for n := range v.Document("a.org") {
		if n.Title() == "Lid" {
			lid = n.ID
		}
	}
	want := `* Sensors
:PROPERTIES:
:ID: sensors
:END:
** TODO Gauge :rain:
SCHEDULED: <2026-03-01 Sun>
:PROPERTIES:
:ALIAS:    x
:ALIAS+:   y
:ID:       gauge
:WEIGHT:   1.50
:END:
It measures.
Twice.
*** Lid
:PROPERTIES:
:ID:       ` + lid + `
:END:
steel
`
	squeeze := func(s string) string {
		var out []string
		for line := range strings.Lines(s) {
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
		return strings.Join(out, "\n")
	}
	if diff := cmp.Diff(squeeze(want), squeeze(string(text))); diff != "" {
		t.Error(diff)
	}
	if shape(v, "b") != "B" || shape(v, "sensors") != "Sensors(Gauge(Lid))" || c.Changes == 0 {
		t.Errorf("memory holds %s and %s", shape(v, "b"), shape(v, "sensors"))
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil || shape(w.m.View(), "b") != "B(Gauge(Lid paragraph paragraph))" {
		t.Errorf("rolled back to %s, %v", shape(w.m.View(), "b"), err)
	}
	// A node without an ID gets one first, and what a headline cannot hold stays.
	id, _ := w.take(w.m, `{"type":"paragraph","raw-content":"* forged"}`, "")
	before := w.m.View()
	if _, err := w.m.Notes().Refile(t.Context(), id, "sensors", nil); fovea.KindOf(err) != fovea.Invalid || w.m.View() != before {
		t.Errorf("got %v", err)
	}
	id, _ = w.take(w.m, `{"type":"headline","properties":{"TITLE":"Plain"},"raw-content":"x"}`, "")
	if _, err := w.m.Notes().Refile(t.Context(), id, "sensors", nil); err != nil || shape(w.m.View(), "sensors") != "Sensors(Plain)" {
		t.Errorf("%v, %s", err, shape(w.m.View(), "sensors"))
	}
}

// TestTypesOfTrees: nodes of a tree are found by their types.
func TestTypesOfTrees(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n- an item\n"})
	w.ingest()
	w.take(w.m, `{"type":"ITEM","properties":{"ID":"i"},"contents":[{"type":"paragraph","properties":{"ID":"p"}}]}`, "")
	for text, want := range map[string]string{"type:item": "i", "type:paragraph id:p": "p", "type:item type:paragraph": ""} {
		e, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		found, err := w.m.View().Query(e, 0, w.now())
		var ids []string
		for _, n := range found {
			if document.IsMemory(n.Path) {
				ids = append(ids, n.ID)
			}
		}
		if err != nil || strings.Join(ids, " ") != want {
			t.Errorf("%s finds %v, %v", text, ids, err)
		}
	}
}
