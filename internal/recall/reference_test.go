// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// drawFiles draws a memex in which the queries below often match.
func drawFiles(t *rapid.T) map[string]string {
	one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	files := map[string]string{}
	for f := range rapid.IntRange(1, 4).Draw(t, "files") {
		b := strings.Builder{}
		b.WriteString("#+todo: TODO NEXT | DONE\n" + one("groups", "", "", "#+TAGS: [ g : a ]\n", "#+tags: { h : g {^b} }\n#+TAGS: [ g : c ]\n") +
			one("filetags", "", "", "#+filetags: :c:\n") + one("category", "", "#+category: cat\n") + one("keyword", "", "#+PROPERTY: P v\n"))
		for range rapid.IntRange(0, 20).Draw(t, "headlines") {
			fmt.Fprintf(&b, "%s %s%s%s%s\n", strings.Repeat("*", rapid.IntRange(1, 4).Draw(t, "level")),
				one("todo", "", "", "", "TODO ", "DONE ", "NEXT "), one("priority", "", "", "[#A] ", "[#C] "),
				one("title", "one", "two"), one("tags", "", "", "", " :a:", " :b:a:", " :g:"))
			b.WriteString(one("planning", "", "", "SCHEDULED: <2026-11-18 Wed>\n", "DEADLINE: <2026-11-25 Wed>\n", "CLOSED: [2026-11-10 Tue]\n"))
			if p := one("property", "", "", ":P: v", ":P+: w", ":p: u", ":EFFORT: 1:00", ":STYLE: habit", ":ID: n1", ":ID: n2", ":ID: n3"); p != "" {
				b.WriteString(drawer(p))
			}
			b.WriteString(one("body", "", "", "text [[id:one][link]]\n", "#+begin_src go\nx\n#+end_src\n", "| c |\n<2026-11-20 Fri>\n", "+-+-+\n| c |\n+---+\n",
				"#+BEGIN_Quote\nx\n#+end_quote\n", "# a comment\n", "- item +\n", "#+begin_special\nx\n#+end_special\n#+name: n\n"))
		}
		files[fmt.Sprintf("f%d.org", f)] = b.String()
	}
	return files
}

// queries cover everything that an index can answer, and what an index could get wrong.
var queries = []string{
	"todo:NEXT", "todo:TODO,NEXT tags-local:a", "tags-local:b !todo:DONE", "tags-local:g", "tags-local:h,none", "type:DOCUMENT",
	"todo:DONE OR tags-local:a", "todo:TODO heading:one", "tags-local:none", "(todo:NEXT tags-local:a) level:2", "todo:", "!todo:TODO",
	"type:src-block", "type:src-block todo:NEXT", "type:table,headline tags-local:a", "type:table scheduled:", "!type:table", "type:paragraph link:",
	"scheduled:on=today", "deadline:auto priority:A", "planning:to=today", "closed:", "effort:60", "habit:", "priority:>=B", "link:one", "ts:on=2",
	"property:P", "property:p=v", "property:P=v,inherit=t", "property:P,inherit=t", "property:P=w,inherit=nil", "tags:g", "tags:h", "tags:c", "tags-all:a,b",
	"tags-inherited:a", "category:cat", "blocked:", "parent:(todo:NEXT)", "ancestors:(tags-local:a)", "children:(todo:)", "descendants:(priority:A)",
	"outline-path:one,two", "src:lang=go", "ancestors: descendants:(deadline:)",
	"id:n1", "id:n1,n2 todo:", "id:n1::src-block.1 type:src-block", "id:n3::table.1,n2 type:table,headline", "id:none", "property:ID=n1", "property:ID,n1,n2",
	"property:P=v,w", "property:P=V", "property:P+=w", "tags:b", "tags:a,c", "tags:g todo:", "tags:none", "tags-all:b,c", "tags-all:c,g", "tags-inherited:b,c",
	"tags-inherited:", "tags:", "tags:b !tags-local:b", "type:quote-block", "type:example_block,comment", "type:keyword", "type:src-block,document", "type:item",
	"src:x", "type:table-row tags:c", "ancestors:(id:n1)", "id:n1 OR tags:b", "!tags:c", "!id:n1",
}

// TestIndexedQueryEqualsWalk checks that a query gives the same answer, order included,
// with and without the attribute index.
func TestIndexedQueryEqualsWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := view(drawFiles(t))
		for _, q := range queries {
			e, err := query.Parse(q)
			if err != nil {
				t.Fatal(err)
			}
			walk := v
			walk.Attributes = nil
			got, err := v.Query(e, 0, now)
			if err != nil {
				t.Fatal(err)
			}
			want, err := walk.Query(e, 0, now)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(ids(want), ids(got)); diff != "" {
				t.Fatalf("%s (-walk +indexed):\n%s", q, diff)
			}
		}
	})
}

// TestIndexedQueriesVisitFewNodes checks that these queries look at a few nodes of many.
func TestIndexedQueriesVisitFewNodes(t *testing.T) {
	files := map[string]string{"t.org": "#+filetags: :whole:\n* a\n", "s.org": "* a :part:\n** b\n*** c\n", "e.org": "* a\n#+begin_src go\nx\n#+end_src\n"}
	for i := range 100 {
		files[fmt.Sprintf("f%d.org", i)] = fmt.Sprintf("* one :many:\n:PROPERTIES:\n:ID: n%d\n:END:\n- item\n** below\n", i)
	}
	v := view(files)
	for q, want := range map[string]int{
		"id:n7": 1, "id:n7,n8": 2, "id:nobody": 0, "property:ID=n7": 1, "property:ID,n7,n9": 2, "tags:whole": 2, "tags:part": 3, "tags-inherited:part": 3,
		"tags:nobody": 0, "tags-all:part,many": 3, "type:src-block": 2, "type:latex-environment": 0,
		"tags:many": v.State.Len(), "todo:": v.State.Len(),
	} {
		e, err := query.Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		visited := 0
		for range v.candidates(e) {
			visited++
		}
		if visited != want {
			t.Errorf("%s visits %d nodes, want %d", q, visited, want)
		}
	}
}

// headline is a headline in the reference: the parser's data, found by walking the
// document each time.
type headline struct {
	doc  *org.Document
	file string
	i    int
}

func (h headline) org() org.Headline { return h.doc.Headlines[h.i] }

func (h headline) ancestors() []headline {
	var up []headline
	for i := h.org().Parent; i >= 0; i = h.doc.Headlines[i].Parent {
		up = append(up, headline{h.doc, h.file, int(i)})
	}
	return up
}

// below returns all descendants.
func (h headline) below() []headline {
	var down []headline
	for i := range h.doc.Headlines {
		if k := (headline{h.doc, h.file, i}); slices.ContainsFunc(k.ancestors(), func(a headline) bool { return a.i == h.i }) {
			down = append(down, k)
		}
	}
	return down
}

func (h headline) kids() []headline {
	return slices.DeleteFunc(h.below(), func(k headline) bool { return int(k.org().Parent) != h.i })
}

// members returns a function that reports whether a tag equals tag or belongs to its
// group in drawFiles.
func (h headline) members(tag string) func(string) bool {
	return func(have string) bool {
		if have == tag {
			return true
		}
		for _, g := range h.doc.TagGroups {
			if g.Name != tag {
				continue
			}
			for _, m := range g.Members {
				if m == "{^b}" && strings.HasPrefix(have, "b") || m == have || m == "g" && h.members("g")(have) {
					return true
				}
			}
		}
		return false
	}
}

// reference holds, by query, whether a headline matches.
var reference = map[string]func(headline) bool{
	"todo:TODO,NEXT": func(h headline) bool { return h.org().Todo == "TODO" || h.org().Todo == "NEXT" },
	"todo:":          func(h headline) bool { return h.open() },
	"tags:a":         func(h headline) bool { return slices.Contains(h.doc.AllTags(h.i), "a") },
	"tags:g":         func(h headline) bool { return slices.ContainsFunc(h.doc.AllTags(h.i), h.members("g")) },
	"tags:h":         func(h headline) bool { return slices.ContainsFunc(h.doc.AllTags(h.i), h.members("h")) },
	"tags-local:g":   func(h headline) bool { return slices.ContainsFunc(h.org().Tags, h.members("g")) },
	"category:cat":   func(h headline) bool { return h.doc.CategoryOf(h.i, h.file) == "cat" },
	"property:P,inherit=t": func(h headline) bool {
		_, ok := h.doc.Property(h.i, "P", true)
		return ok
	},
	`property:P="v w",inherit=t`: func(h headline) bool {
		value, _ := h.doc.Property(h.i, "P", true)
		return value == "v w"
	},
	"scheduled:on=today":  func(h headline) bool { return h.org().Scheduled != "" },
	"deadline:from=8":     func(headline) bool { return false },
	"deadline:to=7":       func(h headline) bool { return h.org().Deadline != "" },
	"priority:>B":         func(h headline) bool { return h.org().Priority == "A" },
	"ts-active:on=2":      func(h headline) bool { return strings.Contains(h.doc.Text(h.i), "<2026-11-20") },
	"src:lang=go":         func(h headline) bool { return strings.Contains(h.doc.Text(h.i), "begin_src") },
	"link:target=id:one":  func(h headline) bool { return strings.Contains(h.doc.Text(h.i), "[[id:one]") },
	"parent:(level:>0)":   func(h headline) bool { return h.org().Parent >= 0 },
	"children:(todo:)":    func(h headline) bool { return slices.ContainsFunc(h.kids(), headline.open) },
	"descendants:(todo:)": func(h headline) bool { return slices.ContainsFunc(h.below(), headline.open) },
	"ancestors:(todo:NEXT)": func(h headline) bool {
		return slices.ContainsFunc(h.ancestors(), func(a headline) bool { return a.org().Todo == "NEXT" })
	},
	"outline-path:one,two": func(h headline) bool {
		path := append(h.ancestors(), h)
		has := func(title string) bool {
			return slices.ContainsFunc(path, func(a headline) bool { return a.org().Title == title })
		}
		return has("one") && has("two")
	},
}

func (h headline) open() bool { return h.org().Todo != "" && !h.org().Done }

// TestQueryEqualsReference compares with a matcher written from the definition of each
// predicate, over the parsed text and without nodes.
func TestQueryEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := drawFiles(t)
		v := view(files)
		for q, matches := range reference {
			var want []string
			for f := range len(files) {
				name := fmt.Sprintf("f%d.org", f)
				doc := org.Parse(files[name], nil)
				for i := range doc.Headlines {
					if h := (headline{doc, name, i}); matches(h) {
						want = append(want, fmt.Sprint(name, "+", h.org().Start))
					}
				}
			}
			e, err := query.Parse("type:headline " + q)
			if err != nil {
				t.Fatal(err)
			}
			found, err := v.Query(e, 0, now)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range found {
				offset, _ := v.Position(n)
				got = append(got, fmt.Sprint(n.Path, "+", offset))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (-reference +query):\n%s\nin %q", q, diff, files)
			}
		}
	})
}
