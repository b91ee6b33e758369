// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

// TestEncodingsAreNotMixed: what Fovea writes is UTF-8, so a file in another
// encoding is edited only where the bytes are the same.
func TestEncodingsAreNotMixed(t *testing.T) {
	leaf := "* Leaf\n:PROPERTIES:\n:ID: leaf\n:END:\n"
	utf16 := strings.Join(strings.Split("* TODO wide\n", ""), "\x00") + "\x00"
	for name, c := range map[string]struct {
		text string
		edit document.Edit
		ok   bool
	}{
		"UTF-8":                    {leaf + "é\n", document.AppendBody{Text: "ü\n"}, true},
		"declared, ASCII":          {"# -*- coding: latin-1 -*-\n" + leaf + "\xe9\n", document.AppendBody{Text: "plain\n"}, true},
		"declared, beyond ASCII":   {"# -*- coding: latin-1 -*-\n" + leaf, document.AppendBody{Text: "ü\n"}, false},
		"declared UTF-8":           {"# -*- mode: org; coding: utf-8-unix -*-\n" + leaf, document.AppendBody{Text: "ü\n"}, true},
		"invalid, beyond ASCII":    {leaf + "\xe9\n", document.AppendBody{Text: "ü\n"}, false},
		"invalid, a keyword":       {leaf + "\xe9\n", document.SetTodo{Keyword: "DONE"}, true},
		"UTF-16, with an edit":     {leaf + strings.Repeat("x\x00", 200), document.AppendBody{Text: "plain\n"}, true}, // not at the beginning
		"UTF-16 with a mark of it": {"\xff\xfe" + leaf, document.AppendBody{Text: "x\n"}, false},
	} {
		w := newWorld(t, map[string]string{"a.org": c.text})
		v := w.ingest()
		id := "leaf"
		if _, ok := v.Get(id); !ok {
			for d := range v.Documents() {
				id = d.ID
			}
		}
		_, err := w.m.Notes().Edit(t.Context(), id, nil, c.edit)
		if c.ok != (err == nil) || !c.ok && fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if got := w.onDisk()["a.org"]; !c.ok && got != c.text {
			t.Errorf("%s: a refused edit left %q", name, got)
		}
	}
	w := newWorld(t, map[string]string{"u.org": utf16})
	w.ingest()
	if _, _, err := w.m.Notes().Insert(t.Context(), "u.org", document.InsertHeadline{Title: "x"}, nil); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a headline in a file of UTF-16: %v", err)
	}
	found, err := w.m.Folder().Diagnostics(t.Context())
	if err != nil || len(found) == 0 || found[0].Kind != "encoding" {
		t.Errorf("diagnostics: %v, %v", found, err)
	}
}

// TestForeignFilesAreNamed: a file whose encoding or line ends keep it from being read
// as its owner sees it is named once for each, with the line, and no other file is.
func TestForeignFilesAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // line and the beginning of the message
	}{
		"UTF-8":                       {"* Zürich\n", nil},
		"CRLF":                        {"* a\r\nb\r\n", nil},
		"empty":                       {"", nil},
		"replacement character":       {"* \uFFFD\n", nil},
		"Latin-1":                     {"* a\n\n* Z\xfcrich \xe9t\xe9\n\xe9\n", []string{"3 the file is not in UTF-8"}},
		"one byte of Latin-1":         {"* Zürich\ncaf\xe9\n", []string{"2 the file is not in UTF-8"}},
		"Latin-1 by its own word":     {"# -*- coding: latin-1 -*-\n* a\n", []string{"1 the file is not in UTF-8"}},
		"CR only":                     {"* a\rtext\r* b\r", []string{"1 the lines end in carriage returns alone"}},
		"CR only, no end":             {"* a\r* b", []string{"1 the lines end in carriage returns alone"}},
		"CR only, a note at its end":  {"* a\rtext\r* b\rtext\r* c\r\n* d\n", []string{"1 the lines end in carriage returns alone"}},
		"CR only and Latin-1":         {"* \xe9\r* b\r", []string{"1 the file is not in UTF-8", "1 the lines end in carriage returns alone"}},
		"Latin-1, opened by its mark": {"\xef\xbb\xbf* a\n\xe9\n", []string{"2 the file is not in UTF-8"}},
	} {
		w := newWorld(t, map[string]string{"a.org": c.text, "good.org": "* é\n"})
		w.ingest()
		found, err := w.m.Folder().Diagnostics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range found {
			if p.Kind != "encoding" {
				continue
			}
			if p.Path != "a.org" {
				t.Errorf("%s: %v", name, p)
			}
			message, _, _ := strings.Cut(p.Message, " but")
			message, _, _ = strings.Cut(message, ",")
			got = append(got, fmt.Sprint(p.Line, " ", message))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCapitalsInNamesOfOrgFiles: the ending of an Org file may be in capitals, for
// reading as for writing.
func TestCapitalsInNamesOfOrgFiles(t *testing.T) {
	for _, path := range []string{"A.ORG", "b.Org", "deep/c.oRg", "d.ORG_ARCHIVE", "e.Org_archive"} {
		w := newWorld(t, map[string]string{path: "* TODO Leaf\n:PROPERTIES:\n:ID: leaf\n:END:\n", "skills/S.ORG": "#+TITLE: S\n* x\n", "f.gpg": "* no\n",
			"g.orgx": "* no\n"})
		v := w.ingest()
		if n, ok := v.Get("leaf"); !ok || n.Derived.Todo != "TODO" || n.Path != path {
			t.Errorf("%s: node %+v", path, n)
			continue
		}
		if _, err := w.m.Notes().Edit(t.Context(), "leaf", nil, document.SetTodo{Keyword: "DONE"}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if got := w.onDisk()[path]; !strings.HasPrefix(got, "* DONE Leaf\n") {
			t.Errorf("%s: on disk %q", path, got)
		}
		n, d := 0, 0
		for range v.Documents() {
			d++
		}
		for k := range v.Documents() {
			if k.Derived.Opaque {
				n++
			}
		}
		if d != 2 || n != 0 {
			t.Errorf("%s: %d documents, %d opaque; want the file and the skill, both parsed", path, d, n)
		}
	}
}
