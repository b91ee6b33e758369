// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// TestTrees checks that nodes ingested as a tree are found by their attributes, as
// headlines are by their lines and drawers.
func TestTrees(t *testing.T) {
	tree, err := ast.DecodeTree([]byte(`{"type":"project","properties":{"ID":"moon","TITLE":"Moon base","TAGS":["space"],"BUDGET":500,"OWNER":["Aiko","Bo"]},
		"raw-content":"Where we live next","contents":["loose words",
		{"type":"headline","properties":{"ID":"air","TITLE":"Air","TODO":"NEXT","DEADLINE":"<2026-11-20 Fri>"},"raw-content":"oxygen\nand more"},
		{"type":"HEADLINE","properties":{"ID":"done","TITLE":"Dome","TODO":"DONE","PRIORITY":"A"}},
		{"type":"headline","properties":{"ID":"vault","TITLE":"Vault","TAGS":["crypt"]},"raw-content":"cipher","contents":[
			{"type":"headline","properties":{"ID":"gold","TITLE":"Gold"},"raw-content":"cipher"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	parts, err := tree.Parts("/moon")
	if err != nil {
		t.Fatal(err)
	}
	d.Put("/moon", parts...)
	d.Put("a.org", document.File("* Air\nnothing\n", false))
	s, _ := d.Seal()
	e := index.Attributes{}.Edit()
	var got []index.Doc
	for n := range s.All() {
		doc := Document(n)
		for k, v := range Attributes(n) {
			e.Set(k, v, n.ID)
		}
		if !node.IsDerived(doc.ID) {
			got = append(got, doc)
		}
	}
	want := []index.Doc{
		{ID: "moon", Title: "Moon base", Tags: []string{"space"}, Body: "Where we live next"},
		{ID: "air", Title: "Air", Body: "oxygen\nand more", Marks: []string{"as:air", "on:2026-11-20", "on:11-20", "on:2026-11", "on:11", "on:2026"}},
		{ID: "done", Title: "Dome", Marks: []string{"as:dome"}},
		{ID: "vault", Title: "Vault", Tags: []string{"crypt"}, Marks: []string{"as:vault"}}, {ID: "gold"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is searched (-want +got):\n%s", diff)
	}
	attributes := e.Attributes()
	for q, want := range map[string][]string{
		"todo:NEXT": {"air"}, "done:": {"done"}, "type:headline tags:space priority:A": {"done"},
		"property:budget=500": {"moon"}, "type:Project": {"moon"}, "id:air": {"air"}, "Dome": {"done"}, "deadline:on=2026-11-20": {"air"}, "level:2": {"gold"},
		"type:paragraph todo:NEXT": {"air::paragraph.1"},
	} {
		expr, err := query.Parse(q)
		if err != nil {
			t.Errorf("%s: %v", q, err)
			continue
		}
		for _, v := range []View{{State: s}, {State: s, Attributes: func() index.Attributes { return attributes }}} {
			nodes, err := v.Query(expr, 0, now)
			if diff := cmp.Diff(want, ids(nodes)); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", q, err, diff)
			}
		}
	}
	if n, _ := s.Get("air"); n.Body() != "oxygen\nand more" || !cmp.Equal(s.EffectiveTags(n), []string{"space"}) {
		t.Errorf("body %q, tags %v", n.Body(), s.EffectiveTags(n))
	}
}
