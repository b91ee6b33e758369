// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// TestSettingsOfEmacs opens one store under other settings each time: what is read
// follows them, and no digest or id does.
func TestSettingsOfEmacs(t *testing.T) {
	files := map[string]string{
		"todo.org": "* NEXT Read paper [1/2]\nSCHEDULED: <2026-11-22 Sun>\n** NEXT deep\n** NEXT deep\n* TODO Call\n* FINISHED old\n[[gh:a/b]]\n",
		"own.org":  "#+TODO: OPEN | SHUT\n* NEXT not here\n* SHUT it\n",
	}
	w := newWorld(t, files)
	gtd := &org.Defaults{Todo: []string{"TODO(t) NEXT(n!) | DONE(d) FINISHED"}, Links: map[string]string{"gh": "https://github.com/%s"}}
	type answer struct{ next, done, root, ids string }
	ask := func() answer {
		v := w.m.View()
		list := func(text string) string {
			e, err := query.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			nodes, err := v.Query(e, 100, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var titles []string
			for _, n := range nodes {
				titles = append(titles, n.Title())
			}
			return strings.Join(titles, ", ")
		}
		var ids []string
		for n := range v.All() {
			ids = append(ids, n.ID)
		}
		return answer{list("todo:NEXT"), list("done:"), v.Root().String(), strings.Join(ids, " ")}
	}
	w.ingest()
	plain := ask()
	if plain.next != "" || plain.done != "it" {
		t.Fatalf("without settings: %+v", plain)
	}
	want := plain
	want.next, want.done = "Read paper [1/2], deep, deep", "it, old"
	for round, defaults := range []*org.Defaults{gtd, nil, gtd, {Todo: []string{"A | NEXT"}}, gtd} {
		w.org = defaults
		w.reopen()
		got, want := ask(), want
		switch {
		case defaults == nil:
			want = plain
		case defaults != gtd:
			want.next, want.done = "Read paper [1/2], deep, deep", "it, Read paper [1/2], deep, deep"
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("round %d (-want +got):\n%s", round, diff)
		}
		if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("round %d: %v, %v", round, problems, err)
		}
		if c := w.ingest().Head(); c.Seq != 1 {
			t.Errorf("round %d: reading the folder again made commit %d", round, c.Seq)
		}
	}
	n, err := w.m.View().Resolve("NEXT Read paper")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.Notes().Edit(t.Context(), n.ID, nil, document.SetTodo{Keyword: "DONE"}); err != nil {
		t.Fatal(err)
	}
	if got := w.onDisk()["todo.org"]; !strings.HasPrefix(got, "* DONE Read paper [1/2]\n") {
		t.Errorf("the file begins %.60q", got)
	}
	after := w.m.View().Root()
	w.org = nil
	w.reopen()
	if w.ingest().Root() != after {
		t.Error("the root depends on the settings")
	}
}

// TestTitlesWithoutCookies: a title names its node without its cookies, keyword and
// priority, or with other ones; what is written exactly so goes first.
func TestTitlesWithoutCookies(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* TODO [#A] Write the report [2/5]\n* Half [50%] done\n* Plain\n* Plain [1/2]\n* Twice [1/2]\n* Twice [2/2]\n" +
		"* See [1]\n* TODO\n* [/]\n"})
	v := w.ingest()
	for name, want := range map[string]string{
		"Write the report [2/5]":           "Write the report [2/5]",
		"Write the report":                 "Write the report [2/5]",
		"write the REPORT":                 "Write the report [2/5]",
		"Write the report [3/5]":           "Write the report [2/5]",
		"TODO [#A] Write the report":       "Write the report [2/5]",
		"TODO [#A] Write the report [2/5]": "Write the report [2/5]",
		"[#A] Write the report":            "Write the report [2/5]",
		"TODO Write the report":            "Write the report [2/5]",
		"DONE Write the report":            "",
		"Half done":                        "Half [50%] done",
		"Plain":                            "Plain",
		"Plain [1/2]":                      "Plain [1/2]",
		"Twice":                            "",
		"Twice [2/2]":                      "Twice [2/2]",
		"See":                              "",
		"See [1]":                          "See [1]",
		"":                                 "",
	} {
		n, err := v.Resolve(name)
		got := ""
		if err == nil {
			got = n.Title()
		}
		if got != want {
			t.Errorf("%q names %q (%v), want %q", name, got, err, want)
		}
	}
}
