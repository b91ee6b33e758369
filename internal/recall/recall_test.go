// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// now is the moment that dates count from.
var now = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// view is a state of the given files, with both indexes.
func view(files map[string]string) View {
	d := (&graph.State{}).Edit(1, nil)
	for p, text := range files {
		d.Put(p, text, !node.IsOrg(p))
	}
	s, _ := d.Seal()
	e := index.Attributes{}.Edit()
	var docs []index.Doc
	for n := range s.All() {
		docs = append(docs, Document(n))
		for k, v := range Attributes(n) {
			e.Set(k, v, n.ID)
		}
	}
	x, a := index.Build(docs), e.Attributes()
	return View{State: s, Lexical: func() *index.Lexical { return x }, Attributes: func() index.Attributes { return a }}
}

// TestIndexedQueryEqualsWalk: with the attribute index a query answers what it
// answers without, in the same order.
func TestIndexedQueryEqualsWalk(t *testing.T) {
	queries := []string{
		"todo:NEXT", "todo:TODO,NEXT tags-local:a", "tags-local:b !todo:DONE", "type:DOCUMENT", "todo:DONE OR tags-local:a",
		"todo:TODO heading:one", "tags-local:none", "(todo:NEXT tags-local:a) level:2", "todo:", "!todo:TODO",
	}
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for f := range rapid.IntRange(1, 4).Draw(t, "files") {
			var b strings.Builder
			for range rapid.IntRange(0, 30).Draw(t, "headlines") {
				fmt.Fprintf(&b, "%s %s%s%s\n", strings.Repeat("*", rapid.IntRange(1, 4).Draw(t, "level")),
					rapid.SampledFrom([]string{"", "", "", "TODO ", "DONE ", "NEXT "}).Draw(t, "todo"),
					rapid.SampledFrom([]string{"one", "two"}).Draw(t, "title"),
					rapid.SampledFrom([]string{"", "", "", " :a:", " :b:a:"}).Draw(t, "tags"))
			}
			files[fmt.Sprintf("f%d.org", f)] = "#+todo: TODO NEXT | DONE\n" + b.String()
		}
		v := view(files)
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

func ids(nodes []*node.Node) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.ID)
	}
	return out
}

func TestDocument(t *testing.T) {
	v := view(map[string]string{"a.org": "#+title: T\nintro\n* H :x:\n:PROPERTIES:\n:BY: Aiko\n:END:\nbody\n", "skills/tool": "plain text", "skills/bin": "\x00\x01", "x.org.gpg": "secret"})
	var got []index.Doc
	for n := range v.State.All() {
		d := Document(n)
		d.ID = ""
		got = append(got, d)
	}
	want := []index.Doc{
		{Title: "T", Body: "#+title: T\nintro\n"},
		{Title: "H", Tags: []string{"x"}, Body: ":PROPERTIES:\n:BY: Aiko\n:END:\nbody\n"},
		{Title: "bin"}, {Title: "tool", Body: "plain text"}, {Title: "x.org"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAmbiguousListsCandidates(t *testing.T) {
	v := view(map[string]string{"a.org": strings.Repeat("* Same\n", 14)})
	_, err := v.Resolve("Same")
	a, ok := err.(*AmbiguousError)
	if !ok || len(a.Candidates) != 10 || a.More != 4 {
		t.Fatalf("got %v", err)
	}
	if got := strings.Count(err.Error(), "\n"); got != 11 {
		t.Errorf("the message has %d lines", got)
	}
}
