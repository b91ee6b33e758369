// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
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
			"planning", "* A\nSCHEDULED: <2026-01-01 Thu>\n", "* A\nDEADLINE: <2026-03-03 Tue> SCHEDULED: <2026-01-01 Thu>\n", "* A\nSCHEDULED: <2026-02-02 Mon>\n",
			"* A\nDEADLINE: <2026-03-03 Tue> SCHEDULED: <2026-02-02 Mon>\n",
		},
		{
			"planning goes and comes", "* A\nSCHEDULED: <2026-01-01 Thu>\nx\n", "* A\nDEADLINE: <2026-03-03 Tue> SCHEDULED: <2026-01-01 Thu>\nx\n", "* A\nx\n",
			"* A\nDEADLINE: <2026-03-03 Tue>\nx\n",
		},
		{
			"properties", "* A\n:PROPERTIES:\n:A: 1\n:B: 1\n:END:\n", "* A\n:PROPERTIES:\n:A:  2\n:B: 1\n:C: 1\n:END:\n", "* A\n:PROPERTIES:\n:A: 1\n:D: 1\n:END:\n",
			"* A\n:PROPERTIES:\n:A:  2\n:C: 1\n:D: 1\n:END:\n",
		},
		{
			"a property of several lines", "* A\n:PROPERTIES:\n:A: 1\n:B: 1\n:END:\n", "* A\n:PROPERTIES:\n:A: 1\n:A+: 2\n:B: 1\n:END:\n", "* A\n:PROPERTIES:\n:A: 1\n:B: 2\n:END:\n",
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
			"a second conflict joins the first", "* A :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n:END:\n", "* B :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n:END:\n",
			"* C :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n:END:\n",
			"* B :conflict:\n" + drawer + "title :: by z\n: -A\n: +Z\n- title :: by lost\n: -B\n: +C\n:END:\n",
		},
		{"both brought it", "", "* A\n", "* TODO A\n", "* TODO A\n"},
		{"carriage returns", "* A\r\n1\r\n", "* B\r\n1\r\n", "* C\r\n1\r\n", "* B :conflict:\r\n:CONFLICT:\r\n- title :: by lost\r\n: -B\r\n: +C\r\n:END:\r\n1\r\n"},
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
		{"encrypted text is one value", "* A :crypt:\n1\n2\n", "* A :crypt:\nx\n2\n", "* A :crypt:\n1\ny\n", "* A :crypt:conflict:\n" + drawer + "body :: by lost\n: -x\n: -2\n: +1\n: +y\n:END:\nx\n2\n"},
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
		{"planning", "* A\n", "* A\nSCHEDULED: <2026-01-01 Thu>\n", "* A\nSCHEDULED: <2026-01-02 Fri>\n", "* A\nSCHEDULED: <2026-01-01 Thu>\n", "* A\nSCHEDULED: <2026-01-02 Fri>\n"},
		{
			"property", "* A\n:PROPERTIES:\n:A: 1\n:END:\n", "* A\n:PROPERTIES:\n:A: 2\n:END:\n", "* A\n",
			"* A\n:PROPERTIES:\n:A: 2\n:END:\n", "* A\n",
		},
		{"body", "* A\n1\n2\n", "* A\nx\n2\n", "* A\ny\nz\n2\n", "* A\nx\n2\n", "* A\ny\nz\n2\n"},
		{"body deleted", "* A\n1\n2\n", "* A\nx\n2\n", "* A\n2\n", "* A\nx\n2\n", "* A\n2\n"},
		{"document", "#+TITLE: A\n", "#+TITLE: B\n", "#+TITLE: C\n", "#+TITLE: B\n", "#+TITLE: C\n"},
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
