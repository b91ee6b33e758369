// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

var format org.Format

// only reads a file and returns its last part.
func only(text string) *document.Part {
	parts := format.Outline("a.org", []document.Part{{Parent: -1, Content: text}}, nil).Parts
	return &parts[len(parts)-1]
}

func TestOwn(t *testing.T) {
	const drawer = ":CONFLICT:\n- "
	tests := []struct{ name, base, won, lost, want string }{
		{"nothing changed", "* A\n", "* A\n", "* A\n", "* A\n"},
		{"one side", "* A\n", "* A\n", "* B\nx\n", "* B\nx\n"},
		{"fields of one line", "* A :x:\n", "* TODO A :x:y:\n", "* [#A] B\n", "* TODO [#A] B :y:\n"},
		{"spacing stays", "* A     :x:\n", "* TODO  A     :x:\n", "* A     :x:y:\n", "* TODO  A     :x:y:\n"},
		{"comment", "* A\n", "* COMMENT A\n", "* A :x:\n", "* COMMENT A :x:\n"},
		{"title", "* A\n", "* B\n", "* C\n", "* B :conflict:\n" + drawer + "title :: by lost\n: -B\n: +C\n:END:\n"},
		{"done beats open", "* TODO A\n", "* A\n", "* DONE A\n", "* DONE A :conflict:\n" + drawer + "todo :: by won\n: -DONE\n:END:\n"},
		{"tags on both sides", "* A :x:y:\n", "* A :y:z:\n", "* A :x:w:\n", "* A :z:w:\n"},
		{"all tags gone", "* A  :x:y:\n", "* A :y:\n", "* A :x:\n", "* A\n"},
		{
			"planning", "* A\nSCHEDULED: <2026-01-01 Thu>\n", "* A\nDEADLINE: <2026-03-03 Tue> SCHEDULED: <2026-01-01 Thu>\n",
			"* A\nSCHEDULED: <2026-02-02 Mon>\n",
			"* A\nDEADLINE: <2026-03-03 Tue> SCHEDULED: <2026-02-02 Mon>\n",
		},
		{
			"planning goes and comes", "* A\nSCHEDULED: <2026-01-01 Thu>\nx\n", "* A\nDEADLINE: <2026-03-03 Tue> SCHEDULED: <2026-01-01 Thu>\nx\n", "* A\nx\n",
			"* A\nDEADLINE: <2026-03-03 Tue>\nx\n",
		},
		{
			"properties", "* A\n:PROPERTIES:\n:A: 1\n:B: 1\n:END:\n", "* A\n:PROPERTIES:\n:A:  2\n:B: 1\n:C: 1\n:END:\n",
			"* A\n:PROPERTIES:\n:A: 1\n:D: 1\n:END:\n",
			"* A\n:PROPERTIES:\n:A:  2\n:C: 1\n:D: 1\n:END:\n",
		},
		{
			"a property of several lines", "* A\n:PROPERTIES:\n:A: 1\n:B: 1\n:END:\n", "* A\n:PROPERTIES:\n:A: 1\n:A+: 2\n:B: 1\n:END:\n",
			"* A\n:PROPERTIES:\n:A: 1\n:B: 2\n:END:\n",
			"* A\n:PROPERTIES:\n:A: 1\n:A+: 2\n:B: 2\n:END:\n",
		},
		{
			"a property in conflict", "* A\n:PROPERTIES:\n:A: 1\n:END:\n", "* A\n:PROPERTIES:\n:A: 2\n:END:\n", "* A\n:PROPERTIES:\n:a: 3\n:END:\n",
			"* A :conflict:\n:PROPERTIES:\n:A: 2\n:END:\n" + drawer + "property A :: by lost\n: -:A: 2\n: +:a: 3\n:END:\n",
		},
		{"body", "* A\n1\n2\n", "* A\nx\n2\n", "* A\n1\ny\n", "* A\nx\ny\n"},
		{
			"body in conflict", "* A\n1\n", "* A\nx\n", "* A\n:END:\n,* y\n",
			"* A :conflict:\n" + drawer + "body :: by lost\n: -x\n: +:END:\n: +,* y\n:END:\nx\n",
		},
		{
			"a second conflict joins the first", "* A :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n:END:\n",
			"* B :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n:END:\n",
			"* C :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n:END:\n",
			"* B :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n- title :: by lost\n: -B\n: +C\n:END:\n",
		},
		{"both brought it", "", "* A\n", "* TODO A\n", "* TODO A\n"},
		{"carriage returns", "* A\r\n1\r\n", "* B\r\n1\r\n", "* C\r\n1\r\n",
			"* B :conflict:\r\n:CONFLICT:\r\n- title :: by lost\r\n: -B\r\n: +C\r\n:END:\r\n1\r\n"},
		{"no final line end", "* A", "* TODO A", "* A\nx", "* TODO A\nx"},
		{
			"the document, with carriage returns", "#+TITLE: A\r\n1\r\n", "#+TITLE: B\r\n1\r\n", "#+TITLE: C\r\n1\r\n",
			"#+TITLE: B\r\n#+FILETAGS: :conflict:\r\n:CONFLICT:\r\n- settings :: by lost\r\n: -#+TITLE: B\r\n: +#+TITLE: C\r\n:END:\r\n1\r\n",
		},
		{
			"the document", "#+TITLE: A\n1\n", "#+TITLE: B\n1\n", "#+TITLE: C\n2\n",
			"#+TITLE: B\n#+FILETAGS: :conflict:\n" + drawer + "settings :: by lost\n: -#+TITLE: B\n: +#+TITLE: C\n:END:\n2\n",
		},
		{"a line that would be read otherwise", "* A\n", "* A :x:\n", "* TODO :y:z\n", "* TODO :y:z :x:\n"},
		{"encrypted text is one value", "* A :crypt:\n1\n2\n", "* A :crypt:\nx\n2\n", "* A :crypt:\n1\ny\n",
			"* A :crypt:conflict:\n" + drawer + "body :: by lost\n: -x\n: -2\n: +1\n: +y\n:END:\nx\n2\n"},
		{
			"encrypted by one side", "* A\n1\n2\n", "* A :crypt:\nx\n2\n", "* A\n1\ny\n",
			"* A :crypt:conflict:\n" + drawer + "body :: by lost\n: -x\n: -2\n: +1\n: +y\n:END:\nx\n2\n",
		},
		{
			"encrypted by the other side", "* A\n1\n2\n", "* A\nx\n2\n", "* A :crypt:\n1\ny\n",
			"* A :crypt:conflict:\n" + drawer + "body :: by lost\n: -x\n: -2\n: +1\n: +y\n:END:\nx\n2\n",
		},
		{
			"decrypted by both", "* A :crypt:\n1\n2\n", "* A\nx\n2\n", "* A\n1\ny\n",
			"* A :conflict:\n" + drawer + "body :: by lost\n: -x\n: -2\n: +1\n: +y\n:END:\nx\n2\n",
		},
		{"a drawer of that name in another form", "* A\n:CONFLICT:\nx\n:END:\n", "* A\n:CONFLICT:\ny\n:END:\n",
			"* B\n:CONFLICT:\nx\n:END:\n", "* B\n:CONFLICT:\ny\n:END:\n"},
		{"a drawer that is not closed", "* A\n:CONFLICT:\n- a :: by b\n", "* A\n:CONFLICT:\n- a :: by b\ny\n",
			"* B\n:CONFLICT:\n- a :: by b\n", "* B\n:CONFLICT:\n- a :: by b\ny\n"},
		{"an empty line of a headline", "* \n", "* :x:\n", "* TODO\n", "* TODO :x:\n"},
		{"a planning line goes", "* A\nCLOSED: [2026-01-01]\nx\n", "* A\nCLOSED: [2026-01-01]\ny\n", "* A\nx\n", "* A\ny\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var base *document.Part
			if tt.base != "" {
				base = only(tt.base)
			}
			m := document.Merging{Won: "won", Lost: "lost"}
			merged, conflicts := format.Merge(&m, base, only(tt.won), only(tt.lost), only(tt.won).Derived.Level)
			got := merged.Content
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if kept := format.Conflicts(only(got)); len(conflicts) > 0 && len(kept) < len(conflicts) {
				t.Errorf("conflicts %q, kept %q", conflicts, kept)
			}
		})
	}
}

func TestResolved(t *testing.T) {
	tests := []struct{ name, base, won, lost, kept, taken string }{
		{"title", "* A\n", "* B :x:\n", "* C\n", "* B :x:\n", "* C :x:\n"},
		{"todo", "* TODO A\n", "* A\n", "* DONE A\n", "* DONE A\n", "* A\n"},
		{"planning", "* A\n", "* A\nSCHEDULED: <2026-01-01 Thu>\n", "* A\nSCHEDULED: <2026-01-02 Fri>\n",
			"* A\nSCHEDULED: <2026-01-01 Thu>\n", "* A\nSCHEDULED: <2026-01-02 Fri>\n"},
		{
			"property", "* A\n:PROPERTIES:\n:A: 1\n:END:\n", "* A\n:PROPERTIES:\n:A: 2\n:END:\n", "* A\n",
			"* A\n:PROPERTIES:\n:A: 2\n:END:\n", "* A\n",
		},
		{"body", "* A\n1\n2\n", "* A\nx\n2\n", "* A\ny\nz\n2\n", "* A\nx\n2\n", "* A\ny\nz\n2\n"},
		{"body deleted", "* A\n1\n2\n", "* A\nx\n2\n", "* A\n2\n", "* A\nx\n2\n", "* A\n2\n"},
		{"document", "#+TITLE: A\n", "#+TITLE: B\n", "#+TITLE: C\n", "#+TITLE: B\n", "#+TITLE: C\n"},
		{"priority", "* [#A] A\n", "* [#B] A\n", "* [#C] A\n", "* [#B] A\n", "* [#C] A\n"},
		{
			"deadline", "* A\n", "* A\nDEADLINE: <2026-01-01 Thu> CLOSED: [2026-01-02 Fri]\n", "* A\nDEADLINE: <2026-01-03 Sat> CLOSED: [2026-01-02 Fri]\n",
			"* A\nDEADLINE: <2026-01-01 Thu> CLOSED: [2026-01-02 Fri]\n", "* A\nDEADLINE: <2026-01-03 Sat> CLOSED: [2026-01-02 Fri]\n",
		},
		{
			"beginning", "# a\n:PROPERTIES:\n:ID: 1\n:END:\n", "# b\n:PROPERTIES:\n:ID: 1\n:END:\n", "# c\n:PROPERTIES:\n:ID: 1\n:END:\n",
			"# b\n:PROPERTIES:\n:ID: 1\n:END:\n", "# c\n:PROPERTIES:\n:ID: 1\n:END:\n",
		},
		{"property comes back", "* A\n:PROPERTIES:\n:A: 1\n:END:\n", "* A\n", "* A\n:PROPERTIES:\n:A: 2\n:END:\n", "* A\n",
			"* A\n:PROPERTIES:\n:A: 2\n:END:\n"},
		{"body comes back", "* A\n1\n", "* A\n", "* A\n2\n", "* A\n", "* A\n2\n"},
		{"carriage returns", "* A\r\n1\r\n", "* A\r\nx\r\n", "* A\r\ny\r\n", "* A\r\nx\r\n", "* A\r\ny\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := document.Merging{Won: "won", Lost: "lost"}
			merged, _ := format.Merge(&m, only(tt.base), only(tt.won), only(tt.lost), only(tt.won).Derived.Level)
			n := only(merged.Content)
			for take, want := range map[bool]string{false: tt.kept, true: tt.taken} {
				got, err := format.Resolved(n, take, 0)
				if err != nil || got != want {
					t.Errorf("take %v: %q, %v; want %q", take, got, err, want)
				}
			}
		})
	}
}

// TestResolvedMoved: a value that is no longer there is not replaced, and neither is a
// whole node.
func TestResolvedMoved(t *testing.T) {
	entry := func(field, kept, lost string) string {
		return ":CONFLICT:\n- " + field + " :: by l\n: -" + kept + "\n: +" + lost + "\n:END:\n"
	}
	for name, text := range map[string]string{
		"title":     "* A :conflict:\n" + entry("title", "B", "C"),
		"todo":      "* TODO A :conflict:\n" + entry("todo", "DONE", "TODO"),
		"priority":  "* A :conflict:\n" + entry("priority", "[#A]", "[#B]"),
		"scheduled": "* A :conflict:\nSCHEDULED: <2026-01-01>\n" + entry("scheduled", "<2026-01-02>", "<2026-01-03>"),
		"property":  "* A :conflict:\n:PROPERTIES:\n:A: 1\n:END:\n" + entry("property A", ":A: 2", ":A: 3"),
		"body":      "* A :conflict:\n" + entry("body", "x", "y") + "z\nax\n",
		"settings":  "#+TITLE: A\n#+FILETAGS: :conflict:\n" + entry("settings", "#+TITLE: B", "#+TITLE: C"),
	} {
		n := only(text)
		if _, err := format.Resolved(n, true, 0); !errors.Is(err, document.ErrMoved) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := format.Resolved(n, false, 0); err != nil || strings.Contains(got, "conflict") || strings.Contains(got, "CONFLICT") {
			t.Errorf("%s: kept: %q, %v", name, got, err)
		}
	}
	whole := only("* A :x:conflict:\n" + entry("place", "a", "b") + "text\n")
	if _, err := format.Resolved(whole, true, 0); err == nil || errors.Is(err, document.ErrMoved) {
		t.Errorf("a place was taken: %v", err)
	}
	if got, err := format.Resolved(whole, false, 0); err != nil || got != "* A :x:\ntext\n" {
		t.Errorf("a place was kept: %q, %v", got, err)
	}
	two := only("* A :conflict:\n:CONFLICT:\n- title :: by l\n: -A\n: +B\n- body :: by l\n: -x\n:END:\nx\ny\n")
	if got, err := format.Resolved(two, true, 1); err != nil || got != "* A :conflict:\n:CONFLICT:\n- title :: by l\n: -A\n: +B\n:END:\ny\n" {
		t.Errorf("one of two: %q, %v", got, err)
	}
	if got, err := format.Resolved(two, true, 0, 1); err != nil || got != "* B\ny\n" {
		t.Errorf("both: %q, %v", got, err)
	}
}

// TestConflictEntry: what is in one line stays in it.
func TestConflictEntry(t *testing.T) {
	got := org.ConflictEntry(document.Conflict{Field: "a\nb", By: "c\td", Kept: "1\r\n2\n", Lost: ""})
	if want := "- a b :: by c d\n: -1\n: -2\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSetLevel(t *testing.T) {
	for _, tt := range []struct {
		text  string
		level int
		want  string
	}{{"* A\n", 1, "* A\n"}, {"* A\n", 3, "*** A\n"}, {"*** A\n", 1, "* A\n"}, {"** no headline", 0, "** no headline"}} {
		if got := org.SetLevel(tt.text, tt.level); got != tt.want {
			t.Errorf("%q at %d: %q", tt.text, tt.level, got)
		}
	}
}
