// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// titles runs a query and joins the titles of its results.
func titles(t *testing.T, v View, q string) string {
	t.Helper()
	e, err := query.Parse(q)
	if err != nil {
		t.Fatal(err)
	}
	found, err := v.Query(e, 0, now)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range found {
		out = append(out, n.Title())
	}
	return strings.Join(out, ", ")
}

// drawer returns a property drawer with the given lines.
func drawer(lines string) string { return ":PROPERTIES:\n" + lines + "\n:END:\n" }

// TestTagGroups expects the results of a tags match in Emacs, except that tags are
// case-sensitive.
func TestTagGroups(t *testing.T) {
	v := view(map[string]string{
		"a.org": "#+TAGS: [ Vision : {V@.+} plain ] { Ctx : @home(h) @work } { ex1 ex2 }\n#+tags: [ Top : Vision Ctx ]\n" +
			"#+TAGS: [ Loop : Loop2 ] [ Loop2 : Loop ]\n#+TAGS: Free : notgroup\n#+TAGS: [ Either : {a\\|bc\\>} ]\n" +
			"#+TAGS: [ Inner : {^\\(b\\|xV\\)[@4]} ]\n#+TAGS: [ Odd : {x\\} ex1 ]\n" +
			"* a1 :V@x:\n* a2 :xV@x:\n* a3 :v@x:\n* a4 :plain:\n* a5 :@home:\n** below\n* a6 :Plain:\n* a7 :Vision:\n* a8 :Ctx:\n* a9 :Top:\n" +
			"* b1 :ex1:\n* b2 :notgroup:\n* b3 :Loop:\n* b4 :V@:\n* b5 :bcd:\n* b6 :bc:\n* b7 :b4:\n#+TAGS: [ Late : late1 ]\n* c1 :late1:\n",
		"b.org": "* other file :plain:\n",
	})
	for q, want := range map[string]string{
		"tags:Vision": "a1, a2, a3, a4, a7", "tags:Ctx": "a5, below, a8", "tags-local:Ctx": "a5, a8", "tags-inherited:Ctx": "below",
		"tags:Top": "a1, a2, a3, a4, a5, below, a7, a8, a9", "tags-local:Top": "a1, a2, a3, a4, a5, a7, a8, a9",
		"tags:ex1": "b1", "tags:Free": "", "tags:Loop": "b3", "tags-local:Late": "c1", "tags:Either": "a4, a6, b6, c1",
		"tags:Inner": "a2, b7", "tags:Odd": "b1",
		"tags-all:Top,@home": "a5, below", "tags:Vision !tags:plain": "a1, a2, a3, a7",
	} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %s, want %s", q, got, want)
		}
	}
}

// TestBlocked expects the results of org-entry-blocked-p in Emacs (Org 9.5.5).
func TestBlocked(t *testing.T) {
	ordered, free := drawer(":ORDERED: t"), drawer(":NOBLOCKING: t")
	for name, tc := range map[string]struct{ text, want string }{
		"children":                       {"* TODO p\n** DONE c\n*** TODO g\n", "p"},
		"children of plain ones":         {"* TODO p\n** c\n*** TODO g\n", "p"},
		"children of what is no task":    {"* p\n** TODO c\n", ""},
		"children of what is done":       {"* DONE p\n** TODO c\n", ""},
		"no blocking":                    {"* TODO p\n" + free + "** TODO c\n", ""},
		"in order":                       {"* o\n" + ordered + "** TODO a\n** TODO b\n** DONE c\n** TODO d\n" + free, "b"},
		"in no order":                    {"* o\n" + drawer(":ORDERED: nil") + "** TODO a\n** TODO b\n", ""},
		"below one in order":             {"* o\n" + ordered + "** TODO a\n** TODO b\n*** TODO b1\n**** TODO b11\n", "b, b1, b11"},
		"below a plain one in order":     {"* o\n" + ordered + "** TODO a\n** b\n*** TODO b1\n", ""},
		"below a done one in order":      {"* o\n" + ordered + "** TODO a\n** DONE b\n*** TODO b1\n", ""},
		"below one that is free":         {"* o\n" + ordered + "** TODO a\n** TODO e\n" + free + "*** TODO e1\n", "e1"},
		"behind a done one with a child": {"* o\n" + ordered + "** DONE a\n*** TODO a1\n** TODO b\n", "b"},
		"behind a free one":              {"* o\n" + ordered + "** TODO a\n" + free + "** TODO b\n", "b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := titles(t, view(map[string]string{"a.org": tc.text}), "blocked:"); got != tc.want {
				t.Errorf("blocked are %q, want %q", got, tc.want)
			}
		})
	}
}

func TestInherited(t *testing.T) {
	v := view(map[string]string{
		"dir/a.org": drawer(":OWNER: file\n:A: f") + "#+PROPERTY: KIND kind\n#+CATEGORY: cat\n* one\n" + drawer(":A+: o") +
			"** two\n" + drawer(":A+: t\n:CATEGORY: own") + "*** three\n" + drawer(":A: new\n:A+: x") + "* four\n" + drawer(":OWNER: four"),
		"dir/b.org": "* five\n",
	})
	for q, want := range map[string]string{
		"property:OWNER,inherit=t":                      "a, one, two, three, four",
		"property:owner=file,inherit=t":                 "a, one, two, three",
		"property:KIND=kind,inherit=t type:headline":    "one, two, three, four",
		`property:A="f o t",inherit=t`:                  "two",
		`property:A="new x",inherit=t`:                  "three",
		"property:A=x,inherit=t":                        "three",
		"property:A":                                    "a, one, two, three",
		"category:cat":                                  "a, one, four",
		"category:own":                                  "two, three",
		"category:b":                                    "b, five",
		"outline-path:ONE,thr":                          "three",
		"two type:headline":                             "two, three",
		"parent:(heading:one) OR children:(heading:fi)": "two, b",
		"ancestors:(property:CATEGORY=own)":             "three",
		"descendants:(property:CATEGORY=own)":           "a, one",
		"hash:bafyrei level:2":                          "two",
		"changed-since:1970-01-01":                      "a, one, two, three, four, b, five",
		"changed-since:1970-01-02":                      "",
	} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
	n, _ := v.Resolve("two")
	if got := titles(t, v, "hash:"+n.Own.String()[:20]); got != "two" {
		t.Errorf("by its digest: %q", got)
	}
}

func TestTimes(t *testing.T) {
	v := view(map[string]string{"a.org": "* plan\nSCHEDULED: <2026-11-18 Wed 09:00> DEADLINE: <2026-11-30 Mon -3d>\n" +
		"* shut\nCLOSED: [2026-11-10 Tue 08:00]\n* due\nDEADLINE: <2026-12-01 Tue>\n" +
		"* clock\n:LOGBOOK:\nCLOCK: [2026-11-15 Sun 09:00]--[2026-11-15 Sun 10:00] =>  1:00\n:END:\n* runs\nCLOCK: [2026-11-15 Sun 09:00]\n" +
		"* trip\nfrom <2026-11-20 Fri>--<2026-11-24 Tue>, not <2026-1-1> or [[2026-11-2]]\n* text\n[2026-11-22 Sun] <not a time> < <2026-11-23 Mon 10:00-11:00>\n"})
	for q, want := range map[string]string{
		"scheduled:on=today": "plan", "scheduled:from=1": "", "deadline:": "plan, due", "deadline:auto": "due",
		"deadline:from=2026-11-30,to=2026-11-30": "plan", "closed:to=-1": "shut", "closed:to=-9": "", "planning:": "plan, shut, due",
		"clocked:": "clock", "clocked:on=-3": "clock", "clocked:on=-2": "", "ts:on=2026-11-15": "clock, runs", "ts-active:on=2026-11-22": "trip",
		"ts-inactive:on=2026-11-22": "text", `ts:"from=2026-11-23 10:30","to=2026-11-23 10:40"`: "trip, text", "ts:on=2026-11-30": "plan",
		"(and (ts :from 5 :to 6) (ts-active))": "trip, text",
	} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}

// TestWarnings: a deadline is due from that many days, weeks, months or years before it.
func TestWarnings(t *testing.T) {
	var file strings.Builder
	for _, deadline := range []string{"11-18 -0d", "11-19 -0d", "11-20 -2d", "11-21 -2d", "12-09 -3w", "12-10 -3w", "12-18 -1m", "12-19 -1m", "12-02", "12-03"} {
		file.WriteString("* " + deadline + "\nDEADLINE: <2026-" + deadline + ">\n")
	}
	file.WriteString("* a year\nDEADLINE: <2027-11-18 -1y>\n* a year and a day\nDEADLINE: <2027-11-19 -1y>\n")
	v := view(map[string]string{"a.org": file.String()})
	if got, want := titles(t, v, "deadline:auto"), "11-18 -0d, 11-20 -2d, 12-09 -3w, 12-18 -1m, 12-02, a year"; got != want {
		t.Errorf("due are %q, want %q", got, want)
	}
}

// TestTitlesResolve: a name means the titles that are nearest to it: the same, in other
// letters, without cookies, without keyword and priority.
func TestTitlesResolve(t *testing.T) {
	v := view(map[string]string{"a.org": "* Pay\n* PAY\n* Pay [1/2]\n* read\n* Read [50%]\n* Sow [0/1]\n* TODO [#A] Sow [1/1] seeds\n* seeds\n* Twice\n* Twice\n"})
	for name, want := range map[string]string{
		"Pay": "Pay", "PAY": "PAY", "Pay [1/2]": "Pay [1/2]", "READ": "read", "read [1/2]": "", "sow": "Sow [0/1]",
		"Sow [7/8] seeds": "Sow [1/1] seeds", "TODO [#A] sow seeds": "Sow [1/1] seeds", "[#A] seeds": "", "Twice": "", "[/]": "",
	} {
		got := ""
		if n, err := v.Resolve(name); err == nil {
			got = n.Title()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestElements checks that a query for an element type finds elements with their exact
// bytes, an id that resolves, and the metadata of their node.
func TestElements(t *testing.T) {
	a := "#+filetags: :file:\n#+begin_src sh\nls\n#+end_src\n* TODO one :x:\n:PROPERTIES:\n:ID: one\n:END:\n" +
		"#+name: sum\n#+begin_src go -n\nfunc f() {}\n#+end_src\n\n" +
		"| a | [[id:two][b]] |\n\n#+BEGIN_SRC  Go\n  g()\n#+END_SRC\n** two\n" + drawer(":ID: two") + "| c |\n"
	v := view(map[string]string{"a.org": a, "b.org.gpg": "#+begin_src\n#+end_src\n"})
	for q, want := range map[string]string{
		"type:src-block":                       "#+begin_src sh, sum, #+BEGIN_SRC  Go",
		"type:SRC_BLOCK todo:TODO":             "sum, #+BEGIN_SRC  Go",
		"type:table tags:x":                    "| a | [[id:two][b]] |, | c |",
		"type:table tags-local:x":              "| a | [[id:two][b]] |",
		"type:table link:":                     "| a | [[id:two][b]] |",
		"type:src-block link:":                 "",
		"type:src-block src:lang=go,g":         "#+BEGIN_SRC  Go",
		"type:src-block regexp:func":           "sum",
		"type:src-block heading:one":           "sum, #+BEGIN_SRC  Go",
		"type:src-block,headline tags-local:x": "one, sum, #+BEGIN_SRC  Go",
		"type:table parent:(property:ID=two)":  "| c |",
		"!type:headline !type:table":           "a, b.org",
		"type:document":                        "a, b.org",
		"src:lang=go":                          "one",
		`src:"^  g"`:                           "one",
		"src:lang=sh":                          "a",
		"src:begin_src":                        "",
	} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
	n, err := v.Resolve("id:one::src-block.2")
	if err != nil {
		t.Fatal(err)
	}
	offset, line := v.Position(n)
	const block = "#+BEGIN_SRC  Go\n  g()\n#+END_SRC\n"
	if n.Content != block || n.Parent != "one" || n.Path != "a.org" || !strings.HasPrefix(a[offset:], block) || line != strings.Count(a[:offset], "\n")+1 {
		t.Errorf("got %+v at %d, line %d", n, offset, line)
	}
	if own, err := n.OwnBlock(nil); err != nil || own != n.Own || n.Version != n.Own {
		t.Errorf("its digest %s, want %s, %v", n.Own, own, err)
	}
	for _, name := range []string{"one::src-block.3", "one::src-block.0", "one::src-block.02", "one::nothing.1",
		"none::table.1", "one::table", "::", "one::headline.1"} {
		if n, err := v.Resolve(name); err == nil {
			t.Errorf("%s is taken for %s", name, n.ID)
		}
	}
}

// TestElementIDsResolve checks that the id of every element found resolves to the same
// bytes.
func TestElementIDsResolve(t *testing.T) {
	v := view(map[string]string{"a.org": "- item\n  - inner\n- item\n\npara :x:\n: fixed\n# comment\n" +
		"* h\nCLOCK: [2026-01-01 Thu]\n[fn:1] note\n-----\n:d:\ninside\n:end:\n"})
	var types []string
	for name := range elementNames {
		types = append(types, name)
	}
	found, err := v.Query(query.Pred{Name: "type", Args: types}, 0, now)
	if err != nil || len(found) < 10 {
		t.Fatalf("%d elements, %v", len(found), err)
	}
	for _, want := range found {
		got, err := v.Resolve(want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(node.Node{})); diff != "" {
			t.Errorf("%s (-found +resolved)\n%s", want.ID, diff)
		}
	}
}

// TestElementsBehindNot checks that elements are found whose type a query does not exclude.
func TestElementsBehindNot(t *testing.T) {
	v := view(map[string]string{"a.org": "* one\n| a |\ntext\n"})
	for q, want := range map[string]string{"!(!type:table)": "| a |", "!(todo: OR !type:table)": "| a |", "!type:table": "a, one"} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}

// TestIndexNarrows checks that the index leaves only the nodes that may match, if they are
// few, and all of those.
func TestIndexNarrows(t *testing.T) {
	v := view(map[string]string{"a.org": strings.Repeat("* plain\nnothing [[link\n", 200) +
		"* TODO [#A] rare :tag:\nSCHEDULED: <2026-11-18 Wed> DEADLINE: <2026-11-18 Wed>\n" + drawer(":EFFORT: 1:00\n:STYLE: habit\n:P: v") + "[[id:x]]\n" +
		"* DONE shut\nCLOSED: [2026-11-18 Wed]\n"})
	for q, want := range map[string]string{
		"todo:TODO": "rare", "tags-local:tag": "rare", "priority:A": "rare", "scheduled:": "rare", "deadline:": "rare", "closed:": "shut", "planning:": "rare, shut",
		"effort:60": "rare", "habit:": "rare", "property:P": "rare", "property:P=v": "rare", "link:x": "rare", "type:document": "a", "plain OR todo:TODO": "",
	} {
		e, err := query.Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for n := range v.candidates(e) {
			got = append(got, n.Title())
		}
		if want == "" {
			if len(got) != v.State.Len() {
				t.Errorf("%s visits %d nodes of %d", q, len(got), v.State.Len())
			}
			continue
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s visits %s, want %s", q, s, want)
		}
	}
}

// TestShortTimes checks that a time may be a date alone, and that one that is not closed is
// none, also at the end of a text.
func TestShortTimes(t *testing.T) {
	v := view(map[string]string{"a.org": "* bare\n<2026-11-25>", "b.org": "* open\n<2026-11-25 Wed and on", "c.org": "* broken\n<2026-11-25 Wed\n>\n"})
	for q, want := range map[string]string{"ts:on=2026-11-25": "bare", "ts:": "bare"} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}

// TestEncrypted checks that a query sees only the headline of an encrypted entry.
func TestEncrypted(t *testing.T) {
	v := view(map[string]string{
		"a.org": "* secret one :crypt:\nhidden <2026-11-18 Wed> [[id:x]]\nCLOCK: [2026-11-18 Wed 09:00]--[2026-11-18 Wed 10:00]\n" +
			"#+begin_src sh\n#+end_src\n** below\nhidden\n* plain\nseen\n",
		"b.org":     "#+title: Kept\n#+filetags: :crypt:\nhidden\n",
		"c.org.gpg": "hidden",
	})
	for q, want := range map[string]string{
		"hidden": "", "regexp:hidden": "", "ts:": "", "link:": "", "clocked:": "", "src:": "", "type:src-block": "", "type:paragraph": "seen",
		"secret": "secret one, below", "seen": "plain", "tags:crypt": "secret one, below, Kept",
	} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
	if hits, err := v.Search("hidden", 0, nil, now); err != nil || len(hits) > 0 {
		t.Errorf("the words of an encrypted text are found: %v, %v", hits, err)
	}
}
