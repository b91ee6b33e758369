// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/index"
)

func TestTextLines(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		want       []string // of the node that begins last
	}{
		"a headline": {"a.org", "* T\nOne  line\n\n- item\n  more\n| a | b |\n", []string{"1 One  line", "3 - item", "4 more", "5 | a | b |"}},
		"metadata": {"a.org", "* T\nSCHEDULED: <2026-11-22>\n:PROPERTIES:\n:ID: x\n:END:\n:LOGBOOK:\nCLOCK: [2026-11-22 Sun 10:00]\n:END:\n" +
			"# comment\nBody\n#+name: x\n#+begin_src sh\nls\n#+end_src\n",
			[]string{"9 Body", "12 ls"}},
		"a document":      {"a.org", "#+title: T\n#+date: x\nintro\nmore\n", []string{"2 intro", "3 more"}},
		"line ends":       {"a.org", "* T\r\na\r\n\r\nb\r\n", []string{"1 a", "3 b"}},
		"encrypted":       {"a.org", "* T :crypt:\nsecret\n", nil},
		"a plain text":    {"skills/x.txt", "one\n\n* two\n", []string{"0 one", "2 * two"}},
		"a binary file":   {"skills/x.bin", "one\x00two\n", nil},
		"the limit":       {"a.org", "* T\n" + strings.Repeat("x\n", 100), []string{"1 x", "2 x", "3 x", "4 x", "5 x"}},
		"nothing at all":  {"a.org", "* T\n", nil},
		"a quoted drawer": {"a.org", "* T\n#+begin_example\n:LOGBOOK:\n:END:\n#+end_example\n", []string{"2 :LOGBOOK:", "3 :END:"}},
	} {
		t.Run(name, func(t *testing.T) {
			limit := 1000
			if name == "the limit" {
				limit = 10
			}
			v := view(map[string]string{c.path: c.text})
			var got []string
			for n := range v.State.All() {
				got = nil
				for line := range TextLines(n, limit) {
					got = append(got, fmt.Sprint(line.Number, " ", line.Text))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBestLine(t *testing.T) {
	v := view(map[string]string{"a.org": "* Rivets\n" + drawer(":ID: a\n:RIVET: counted rivets") +
		"nothing\na rivet\n| rivets | counted |\nrivets counted twice\n"})
	n, _ := v.State.Get("a")
	if got, ok := BestLine(n, index.NewMatcher("counted the rivets")); !ok || got.Number != 7 || got.Text != "| rivets | counted |" {
		t.Errorf("got %+v, %v", got, ok)
	}
	if got, ok := BestLine(n, index.NewMatcher("oak")); ok {
		t.Errorf("got %+v", got)
	}
}

func TestLineShown(t *testing.T) {
	for text, want := range map[string]string{
		"a  line\tof words":                              "a line of words",
		"see [[id:9412][the  survey]] and [[*Rivets]]":   "see the survey and [[*Rivets]]",
		"[[https://a.example][one]] [[file:b.org][two]]": "one two",
		"- item [[not a link":                            "- item [[not a link",
		"":                                               "",
	} {
		if got := (Line{Text: text}).Shown(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNewest(t *testing.T) {
	one, two := "* One\n"+drawer(":ID: one\n:AUTHOR: mint"), "* Two\n"+drawer(":ID: two\n:AUTHOR: mint")
	other := "* Other\n" + drawer(":ID: other\n:AUTHOR: minter")
	v := view(map[string]string{"a.org": one + two + other, "b.org": "* Hidden :crypt:\n" + drawer(":ID: top") + "** Secret\n" + drawer(":ID: secret")})
	d := v.State.Edit(2)
	d.Put("a.org", document.File(one+"changed\n"+two+other, false))
	s, _ := d.Seal()
	v = View{State: s}
	for _, c := range []struct {
		by    string
		limit int
		want  []string
	}{{"mint", 9, []string{"one", "two"}}, {"mint", 1, []string{"one"}}, {"", 9, []string{"one", "top", "other", "two"}}, {"nobody", 9, nil}, {"", 0, nil}} {
		if diff := cmp.Diff(c.want, ids(v.Newest(c.by, c.limit))); diff != "" {
			t.Errorf("%q (-want +got)\n%s", c.by, diff)
		}
	}
}
