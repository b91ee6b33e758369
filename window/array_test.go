// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// array decodes the text of a window in JSON, each entry as its id and its priority.
func array(t *testing.T, w *window.Window) (entries []string, metadata map[string]map[string]any) {
	t.Helper()
	var all []struct {
		ID, Priority string
		Metadata     map[string]any
	}
	if err := json.Unmarshal([]byte(w.Text), &all); err != nil {
		t.Fatal(err)
	}
	metadata = map[string]map[string]any{}
	for _, e := range all {
		entries = append(entries, e.ID+" "+e.Priority)
		metadata[e.ID] = e.Metadata
	}
	return entries, metadata
}

// bench is a memory with blocks of all classes, whose ids are in another order than the classes, and
// notes that match a question, that do not, and that are near a focus.
func bench() *memory {
	m := desk(piece("a-low", working.Low, 3), piece("b-high", working.High, 3, confident(0.5)), piece("c-medium", working.Medium, 3),
		piece("d-crit", working.Critical, 3, confident(0.5)), piece("e-high", working.High, 3), piece("z-crit", working.Critical, 3))
	m.add("", window.Item{ID: "house", Path: "house.org", Title: "House", Body: "It stands.\n"})
	m.add("house", window.Item{ID: "roof", Title: "Roof", Body: "It leaks.\n"})
	m.add("house", window.Item{ID: "cellar", Title: "Cellar", Body: "It is dry.\n"})
	return m.add("", window.Item{ID: "away", Path: "away.org", Title: "Away", Body: "Far from all.\n"})
}

// TestArrayOrder proves that in every policy the array has critical entries first, then high, medium
// and low ones, the best of a class first, and that the class of a note does not depend on how much of
// it is shown.
func TestArrayOrder(t *testing.T) {
	near := scores{"note": 0.9, "cellar": 0.4}
	for _, policy := range []string{window.PolicyValue, window.PolicyShares, window.PolicyFoveal} {
		for _, focus := range []string{"", "roof"} {
			for _, budget := range []int{600, 1500, 9000} {
				t.Run(fmt.Sprint(policy, " ", focus, " ", budget), func(t *testing.T) {
					req := window.Request{Policy: policy, Focus: focus, Question: "tide", Format: window.FormatJSON, Budget: budget, Limits: window.Limits{Threshold: 0.3}}
					req.Projects = []string{"house", "away"}
					entries, _ := array(t, build(t, bench(), near, req))
					want := []string{"z-crit critical", "d-crit critical", "roof critical", "e-high high", "b-high high", "note medium", "cellar medium",
						"c-medium medium", "house medium", "roof low", "house low", "a-low low", "away low"}
					at := -1
					for _, e := range entries {
						i := slices.Index(want, e)
						if i < 0 || isMisplaced(e, policy, focus) {
							t.Errorf("%s is in none of the places", e)
						}
						if class := strings.Fields(e)[1]; at >= 0 && slices.Index(classes, class) < slices.Index(classes, strings.Fields(want[at])[1]) {
							t.Errorf("%s comes too late in %q", e, entries)
						}
						at = i
					}
					if entries[0] != want[0] || entries[1] != want[1] || focus != "" && entries[2] != want[2] {
						t.Errorf("got %q", entries)
					}
				})
			}
		}
	}
}

var classes = []string{"critical", "high", "medium", "low"}

// isMisplaced reports whether an entry is in the class of another request.
func isMisplaced(entry, policy, focus string) bool {
	switch entry {
	case "roof critical", "house medium":
		return focus == ""
	case "roof low", "house low":
		return focus != ""
	}
	return false
}

// TestBestFirst fixes the whole order for one request.
func TestBestFirst(t *testing.T) {
	req := window.Request{Policy: window.PolicyShares, Question: "tide", Format: window.FormatJSON, Budget: 9000}
	got, _ := array(t, build(t, bench(), scores{"note": 0.9, "cellar": 0.4}, req))
	want := []string{"z-crit critical", "d-crit critical", "e-high high", "b-high high", "note medium", "cellar medium", "c-medium medium",
		"a-low low", "house low", "away low", "roof low"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCriticalFirst proves that the text of a window begins with the critical blocks, whatever the
// paths of others are.
func TestCriticalFirst(t *testing.T) {
	m := bench().add("", window.Item{ID: "early", Path: "!first.org", Title: "Early", Body: "By path the first.\n"})
	for _, policy := range []string{window.PolicyValue, window.PolicyShares, window.PolicyFoveal} {
		for _, focus := range []string{"", "roof", "early"} {
			w := build(t, m, nil, window.Request{Policy: policy, Focus: focus, Projects: []string{"early", "house"}})
			if w.Parts[0].ID != "d-crit" || w.Parts[1].ID != "z-crit" {
				t.Errorf("%s with the focus %q begins with %s, %s", policy, focus, w.Parts[0].ID, w.Parts[1].ID)
			}
		}
	}
}

// TestNoteMetadata proves that an entry of a note names its parent, its author, and the day that it states. When
// it was committed is not among them: the same state gives the same bytes in every memory.
func TestNoteMetadata(t *testing.T) {
	m := bench()
	m.add("house", window.Item{ID: "said", Title: "Said", Author: "robot"})
	m.add("house", window.Item{ID: "dated", Title: "Dated", Date: "2026-11-02"})
	_, got := array(t, build(t, m, nil, window.Request{Format: window.FormatJSON, Focus: "house"}))
	for id, want := range map[string]map[string]any{
		"said": {"author": "robot", "parent": "house"}, "dated": {"timestamp": "2026-11-02", "parent": "house"}, "house": {},
	} {
		has := map[string]any{}
		for _, key := range []string{"author", "timestamp", "parent"} {
			if value := got[id][key]; value != nil {
				has[key] = value
			}
		}
		if diff := cmp.Diff(want, has); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}
