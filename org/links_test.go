// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
)

func TestLinks(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"id", "* a\nSee [[id:1][one]], id:2b.", []string{"id 1 (one)", "id 2b ()"}},
		{"angle id", "<id:1>", []string{"id 1 ()"}},
		{"inside a word", "grid:12 id: (id:12) id:1", []string{"id 12 ()"}},
		{"plain", "https://a.b/(c)_d. (file:e/f.org::*g) <mailto:h i> x:y", []string{"https //a.b/(c)_d ()", "file e/f.org::*g ()", "mailto h i ()"}},
		{"types", "[[https://a.b/c]] [[FILE:x.org::*y]] [[./z]] [[/abs]] [[~/home]] [[#cid]] [[(ref)]] [[Some title]] [[note: this]]", []string{
			"https //a.b/c ()", "file x.org::*y ()", "file ./z ()", "file /abs ()", "file ~/home ()", "custom-id cid ()", "coderef ref ()",
			"fuzzy Some title ()", "fuzzy note: this ()"}},
		{"line break", "[[id:1][two\nlines]] [[a\n  b]]", []string{"id 1 (two\nlines)", "fuzzy a b ()"}},
		{"over a blank line", "[[id:12][two\n\nlines]]", []string{"id 12 ()"}},
		{"brackets in the address", "[[https://a/?x=[1]&y][d]]", []string{"https //a/?x=[1]&y ()"}},
		{"escapes", `[[a\[b\]][d]] [[c\\]] [[d\e]]`, []string{`fuzzy a[b] (d)`, `fuzzy c\ ()`, `fuzzy d\e ()`}},
		{"nested", "[[a [[id:1][x]]", []string{"id 1 (x)"}},
		{"not closed", "[[a] [[b][c] [[", nil},
		{"empty", "[[]] [[][x]]", nil},
		{"verbatim", "=[[a]]= ~[[b]]~ =[[c]]~", []string{"fuzzy c ()"}},
		{"blocks", "#+begin_src\n[[a]]\n#+end_src\n[[b]]\n#+BEGIN_EXAMPLE x\n[[c]]\n#+END_EXAMPLE\n#+begin_quote\n[[d]]\n#+end_quote\n#+begin_verse\n[[e]]\n" +
			"#+end_verse",
			[]string{"fuzzy b ()", "fuzzy d ()", "fuzzy e ()"}},
		{"unclosed block", "#+begin_src\n[[a]]\n* h\n#+begin_src\n[[b]]\n#+end_src", []string{"fuzzy a ()"}},
		{"hidden lines", "# [[a]]\n: [[b]]\n#+TITLE: [[c]]\n#+caption: [[d]]\n* h\n:PROPERTIES:\n:K: [[e]]\n:END:\n:LOGBOOK:\n- [[f]]\n:END:",
			[]string{"fuzzy f ()"}},
		{"abbreviation", "#+LINK: a https://b/%s?\n#+LINK: c https://d/?q=%h\n#+LINK: e f\n[[a:1]] [[c:2 3]] [[e:4]] [[e::5]] [[g:6]]",
			[]string{"https //b/1? ()", "https //d/?q=2%203 ()", "fuzzy f4 ()", "fuzzy f5 ()", "fuzzy g:6 ()"}},
		{"item tag and title", "* [[a]] :t:\n- [[b]] :: [[c]]", []string{"fuzzy a ()", "fuzzy b ()", "fuzzy c ()"}},
		{"radio", "<<<word>>> a word [[word]]", []string{"fuzzy word ()"}},
		{"not over a headline", "[[a\n* h]]", nil},
		{"table", "| [[a]] | [[b\n| c]] |", []string{"fuzzy a ()"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for link := range org.Links(test.text) {
				path := link.Path
				if link.Search != "" {
					path += "::" + link.Search
				}
				got = append(got, fmt.Sprintf("%s %s (%s)", link.Type, path, link.Description))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Links(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestLinksOffsets(t *testing.T) {
	text := "x [[id:1][d]] <id:2> id:33"
	var got []string
	for link := range org.Links(text) {
		got = append(got, text[link.Start:link.End])
	}
	if diff := cmp.Diff([]string{"[[id:1][d]]", "<id:2>", "id:33"}, got); diff != "" {
		t.Errorf("links by their offsets (-want +got):\n%s", diff)
	}
}

func TestLinksStops(t *testing.T) {
	for link := range org.Links("[[a]]\n\n[[b]]\n* [[c]]") {
		if link.Path != "a" {
			t.Fatalf("got %+v after the loop ended", link)
		}
		break
	}
}
