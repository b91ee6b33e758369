// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/org"
)

// FuzzParse checks the invariants of the package on any bytes.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"",
		"\xef\xbb\xbf* a\r\n** TODO [#A] b :c:\r\n",
		"#+TODO: A(a) | B\n* A x\nSCHEDULED: <2026-01-05 Mon>\n:PROPERTIES:\n:ID: 1\n:END:\n",
		"# c\n:PROPERTIES:\n:ID: 1\n:END:\n#+begin_src\n#+TODO: X\n* a\n*** b\n** c\n* d",
		"* a\nCLOSED: [2026-01-05]--[2026-01-06] DEADLINE: <%%(x) 10:00>\n\n:properties:\n:A+:\n:end:\n",
		"[[id:a][b]] id:c [[https://d?e[1]][f]] =[[g]]=\n#+begin_example\n[[h]]\n#+end_example",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		d := org.Parse(src, &org.Options{Setup: func(string) (string, bool) { return src, true }})
		checkDocument(t, d, src)
		last := 0
		for link := range org.Links(src) {
			if link.Start < last || link.End <= link.Start || link.End > len(src) || link.Raw == "" {
				t.Fatalf("link %+v after offset %d", link, last)
			}
			last = link.End
		}
	})
}

// checkDocument fails unless the invariants of doc.go hold for d, parsed from src.
func checkDocument(t *testing.T, d *org.Document, src string) {
	t.Helper()
	var all strings.Builder
	all.WriteString(d.Text(-1))
	for i := range d.Headlines {
		all.WriteString(d.Text(i))
		checkHeadline(t, d, i)
	}
	if all.String() != src {
		t.Errorf("the parts make %q, want %q", all.String(), src)
	}
	for _, k := range d.Keywords {
		if !strings.HasPrefix(strings.ToUpper(src[k.Start:k.End]), k.Key) && !strings.Contains(strings.ToUpper(src[k.Start:k.End]), "#+"+k.Key+":") {
			t.Errorf("keyword %+v is not at its offsets", k)
		}
	}
	checkProperties(t, d, d.Properties, d.DrawerStart, d.DrawerEnd)
	line, offset := 1, 0
	for _, g := range d.Diagnostics {
		if g.Offset < offset || g.Line < line || g.Offset > len(src) || g.Message == "" {
			t.Errorf("diagnostic %+v after line %d, offset %d", g, line, offset)
		}
		line, offset = g.Line, g.Offset
	}
}

// checkHeadline checks the offsets of headline i.
func checkHeadline(t *testing.T, d *org.Document, i int) {
	t.Helper()
	h := &d.Headlines[i]
	if !(d.SectionEnd <= h.Start && h.Start < h.TextEnd && h.TextEnd <= h.SectionEnd && h.SectionEnd <= h.End && h.End <= len(d.Source)) {
		t.Fatalf("offsets of %+v are not in order", h)
	}
	if h.Level < 1 || d.Source[h.Start:h.Start+h.Level] != strings.Repeat("*", h.Level) {
		t.Errorf("headline %+v has other stars", h)
	}
	if h.Start > d.Start && d.Source[h.Start-1] != '\n' {
		t.Errorf("headline %+v is not at the start of a line", h)
	}
	if h.Parent >= 0 {
		parent := &d.Headlines[h.Parent]
		if int(h.Parent) >= i || parent.Level >= h.Level || parent.Start >= h.Start || parent.End < h.End {
			t.Errorf("headline %+v is not inside its parent %+v", h, parent)
		}
	}
	if h.PlanningEnd > 0 && (h.PlanningStart != h.TextEnd || h.PlanningEnd > h.SectionEnd) {
		t.Errorf("planning line of %+v is not below it", h)
	}
	if h.DrawerEnd > 0 && (h.DrawerStart < max(h.TextEnd, h.PlanningEnd) || h.DrawerEnd > h.SectionEnd) {
		t.Errorf("drawer of %+v is not below it", h)
	}
	checkProperties(t, d, h.Properties, h.DrawerStart, h.DrawerEnd)
}

// checkProperties checks that properties lie in order inside their drawer.
func checkProperties(t *testing.T, d *org.Document, properties []org.Property, start, end int) {
	t.Helper()
	at := start
	for _, p := range properties {
		if p.Start <= at || p.End > end || p.Key == "" || !strings.Contains(d.Source[p.Start:p.End], ":"+p.Key+":") {
			t.Errorf("property %+v is not in its place in the drawer from %d to %d", p, start, end)
		}
		at = p.Start
	}
}
