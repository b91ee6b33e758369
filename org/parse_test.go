// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/org"
)

func TestParseOffsets(t *testing.T) {
	src := "#+TITLE: t\n* a\nSCHEDULED: <2026-01-05>\n:PROPERTIES:\n:ID: 1\n:END:\ntext\n** b\n* c"
	at := func(s string) int { return strings.Index(src, s) }
	after := func(s string) int { return at(s) + len(s) }
	want := &org.Document{
		Source:     src,
		Title:      "t",
		Todo:       org.TodoKeywords{All: []string{"TODO", "DONE"}, Done: []string{"DONE"}},
		Keywords:   []org.Keyword{{Key: "TITLE", Value: "t", Start: 0, End: at("* a")}},
		Settings:   []org.Keyword{{Key: "TITLE", Value: "t", Start: 0, End: at("* a")}},
		SectionEnd: at("* a"),
		Headlines: []org.Headline{
			{
				Start: at("* a"), TextEnd: after("* a\n"), SectionEnd: at("** b"), End: at("* c"), Level: 1, Parent: -1,
				Title: "a", Scheduled: "<2026-01-05>", PlanningStart: at("SCHEDULED"), PlanningEnd: after("05>\n"),
				Drawer: org.Drawer{
					Properties:  []org.Property{{Key: "ID", Value: "1", Start: at(":ID:"), End: at(":END:")}},
					DrawerStart: at(":PROP"), DrawerEnd: after(":END:\n"),
				},
			},
			{Start: at("** b"), TextEnd: at("* c"), SectionEnd: at("* c"), End: at("* c"), Level: 2, Parent: 0, Title: "b"},
			{Start: at("* c"), TextEnd: len(src), SectionEnd: len(src), End: len(src), Level: 1, Parent: -1, Title: "c"},
		},
	}
	if diff := cmp.Diff(want, org.Parse(src, nil), cmpopts.IgnoreUnexported(org.Document{})); diff != "" {
		t.Errorf("Parse(%q) (-want +got):\n%s", src, diff)
	}
}

// TestParseBytes has the texts that an archive of text files cannot hold.
func TestParseBytes(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", ""},
		{"only a mark", "\xef\xbb\xbf", ""},
		{"mark before a headline", "\xef\xbb\xbf* a", "* \"a\"\n"},
		{"mark before a drawer", "\xef\xbb\xbf:PROPERTIES:\n:ID: 1\n:END:", "properties: ID(1)\n"},
		{"two marks", "\xef\xbb\xbf\xef\xbb\xbf* a", ""},
		{"carriage returns", "#+TODO: A | B\r\n* A x :t:\r\nDEADLINE: <2026-01-05>\r\n:PROPERTIES:\r\n:ID: 1\r\n:END:\r\n",
			"keywords: A B | done: B\n* \"x\" todo=A tags=t deadline=<2026-01-05> properties=ID(1)\n"},
		{"mixed line ends", "* a :t:\r\n* b :t:\n* c\r\n",
			"* \"a\" tags=t\n* \"b\" tags=t\n* \"c\"\nline 2: line ends are mixed: Org treats the carriage returns as text, Fovea as part of the line ends\n"},
		{"carriage return inside", "* a\rb\n", "* \"a\\rb\"\n"},
		{"carriage return at the end", "* a\r", "* \"a\"\n"},
		{"NUL", "* a\x00b\n:PROPERTIES:\n:K: \x00\n:END:\n", "* \"a\\x00b\" properties=K(\x00)\n"},
		{"invalid UTF-8", "* a\xff\xc3\n* b :\xff:\n", "* \"a\\xff\\xc3\"\n* \"b :\\xff:\"\n"},
		{"no-break space is no blank", "* TODO\u00a0a\n:PROPERTIES:\n:K\u00a0L: 1\n:END:\n",
			"* \"TODO\\u00a0a\"\nline 3: line is not a property, so its property drawer is not read\n"},
		{"no final newline in a drawer", "* a\n:PROPERTIES:\n:END:", "* \"a\"\n"},
		{"only line feeds", "\n\n\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := org.Parse(test.src, nil)
			checkDocument(t, d, test.src)
			if diff := cmp.Diff(test.want, dump(d)); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", test.src, diff)
			}
			if hasBOM := strings.HasPrefix(test.src, "\xef\xbb\xbf"); (d.Start == 3) != hasBOM {
				t.Errorf("Parse(%q): Start %d", test.src, d.Start)
			}
		})
	}
}

// TestParseSharesNoSlices checks that appending to one result does not change
// another: all tags and properties come from few arrays.
func TestParseSharesNoSlices(t *testing.T) {
	d := org.Parse("* a :x:\n:PROPERTIES:\n:A: 1\n:END:\n* b :y:\n:PROPERTIES:\n:B: 2\n:END:\n", nil)
	_ = append(d.Headlines[0].Tags, "changed")
	_ = append(d.Headlines[0].Properties, org.Property{Key: "changed"})
	if got := d.Headlines[1].Tags[0] + d.Headlines[1].Properties[0].Key; got != "yB" {
		t.Errorf("tag and key of the second headline are %q, want yB", got)
	}
}

// TestParseAsksForEachSetupFileOnce checks that setup files which name each other
// end, and that without Setup the line is left alone.
func TestParseAsksForEachSetupFileOnce(t *testing.T) {
	asked := map[string]int{}
	src := "#+SETUPFILE: a/one\n#+SETUPFILE: a/one\n#+SETUPFILE: https://example.org/x\n"
	d := org.Parse(src, &org.Options{Setup: func(name string) (string, bool) {
		asked[name]++
		return "#+SETUPFILE: two\n#+SETUPFILE: /abs\n", !strings.Contains(name, "://")
	}})
	want := map[string]int{"a/one": 1, "a/two": 1, "/abs": 1, "https://example.org/x": 1, "/two": 1}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("names asked for (-want +got):\n%s", diff)
	}
	if len(d.Diagnostics) != 1 || d.Diagnostics[0].Line != 3 {
		t.Errorf("diagnostics %v, want one for line 3", d.Diagnostics)
	}
	if got := org.Parse(src, nil).Diagnostics; got != nil {
		t.Errorf("without Setup: diagnostics %v, want none", got)
	}
}

// TestRepeatedKeys checks, in drawers of few and of many lines, that exactly the lines
// whose key comes again are reported.
func TestRepeatedKeys(t *testing.T) {
	for _, others := range []int{0, 13, 14, 40} {
		var b strings.Builder
		b.WriteString("* a\n:PROPERTIES:\n:K: 1\n:L: 1\n")
		for i := range others {
			fmt.Fprintf(&b, ":X%d: 1\n", i)
		}
		b.WriteString(":K+: 2\n:k: 3\n:END:\n")
		d := org.Parse(b.String(), nil)
		if len(d.Diagnostics) != 1 || d.Diagnostics[0].Line != 3 {
			t.Errorf("beside %d others: %v, want one for line 3", others, d.Diagnostics)
		}
	}
}

// TestManyDiagnostics: beyond ten thousand, diagnostics are only counted.
func TestManyDiagnostics(t *testing.T) {
	const limit, drawer = 10_000, "* a\n:PROPERTIES:\ntext\n:END:\n"
	for more, want := range map[int]string{
		0: "line is not a property, so its property drawer is not read",
		1: "1 more diagnostics of this document are not listed; fix the listed ones to see them",
		7: "7 more diagnostics of this document are not listed; fix the listed ones to see them",
	} {
		list := org.Parse(strings.Repeat(drawer, limit+more), nil).Diagnostics
		last := list[len(list)-1]
		if n := limit + min(more, 1); len(list) != n || last.Message != want || last.Line != 4*limit-1 {
			t.Errorf("%d more: %d are listed, want %d; the last of line %d says %q", more, len(list), n, last.Line, last.Message)
		}
	}
}
