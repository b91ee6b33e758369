// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/query"
)

// A line of keywords changes how the headlines around it are read, though
// their bytes stay. The indexes must follow on every way to a state: a write,
// a restart from an image, a rollback.
func TestIndexesFollowKeywords(t *testing.T) {
	const plain = "#+TITLE: a\n\n* KLAXON sounds\n:PROPERTIES:\n:ID: k\n:END:\n"
	filler := strings.Repeat("* filler\n"+strings.Repeat("words of no weight ", 60)+"\n", 2000) // enough for an image
	w := newWorld(t, map[string]string{"a.org": plain, "filler.org": filler})
	w.ingest()
	w.reopen()
	w.write(map[string]string{"a.org": strings.Replace(plain, "TITLE: a\n", "TODO: KLAXON | QUIET\n", 1)})
	w.ingest()
	asked := func(when string, found, todo []string) {
		t.Helper()
		v := w.m.View()
		hits, err := v.Search("klaxon", 0, nil, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := query.Parse("todo:KLAXON")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time by the index of attributes
			nodes, err := v.Query(e, 0, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range nodes {
				got = append(got, n.Title())
			}
			if !cmp.Equal(got, todo) {
				t.Errorf("%s: query finds %q, want %q", when, got, todo)
			}
		}
		var got []string
		for _, h := range hits {
			got = append(got, h.Node.Title())
		}
		if !cmp.Equal(got, found) {
			t.Errorf("%s: search finds %q, want %q", when, got, found)
		}
	}
	document := []string{"a"} // its text names the keyword; the headline's title does not hold it any more
	asked("written", document, []string{"sounds"})
	w.reopen()
	asked("reopened", document, []string{"sounds"})
	if _, _, err := w.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	asked("rolled back", []string{"KLAXON sounds"}, nil)
}
