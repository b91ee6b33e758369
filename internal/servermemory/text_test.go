// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/org"
)

// awkward are values that a careless writer would turn into something else.
var awkward = []string{
	"", " ", "plain", "two  blanks", " padded ", "a\nb", "a\r\nb", "\t", "\x00", "* stars", "** TODO forged", "#+TITLE: forged", ":END:", ":PROPERTIES:",
	"[[elisp:(shell-command \"x\")][ok]]", "elisp:(kill-emacs)", "Local Variables:", "-*- eval: (x) -*-", "<%%(kill-emacs)>", "%%(x)", "call_x()",
	"[[file+emacs:x]]", "file+sys:x", "[ ] box", "- nested", "\"quoted\"", `"`, `\`, "TODO", "TODO list",
	"DONE", "COMMENT x", "[#A] first", "tagged :a:b:", "<2026-01-01 Thu>", "سلام", "😀", "a😀\n", "]] [[", "] [", "src_sh{rm}", "{{{m}}}", "|table|", "| ",
	"a\u2028b", "\u0085", "e\u0301", "-", "+", "1.",
}

// TestTextRoundTrips: every value comes back as it was, as name, type, observation and
// end of a relation, and the text is one headline with one drawer whatever it holds.
func TestTextRoundTrips(t *testing.T) {
	for _, v := range awkward {
		roundTrip(t, v, "other")
		roundTrip(t, "other", v)
	}
}

func FuzzText(f *testing.F) {
	for _, v := range awkward {
		f.Add(v, "b")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if utf8.ValidString(a) && utf8.ValidString(b) {
			roundTrip(t, a, b)
		}
	})
}

func roundTrip(t *testing.T, a, b string) {
	t.Helper()
	m := newModel()
	e := m.put(Entity{Name: a, EntityType: b, Observations: []string{a, b, a + b}}, "node-1", 7)
	r := m.put(Relation{From: a, To: b, RelationType: a}, "node-2", 8)
	texts := []string{m.text(e), m.text(r)}
	got := newModel()
	got.read("node-1", texts[0])
	got.read("node-2", texts[1])
	if d := cmp.Diff(m.graph(nil), got.graph(nil)); d != "" {
		t.Errorf("%q %q: %s\n%s", a, b, d, strings.Join(texts, ""))
	}
	for _, text := range texts {
		standsStill(t, text)
	}
}

// standsStill checks what Org reads in the text of one headline.
func standsStill(t *testing.T, text string) {
	t.Helper()
	d := org.Parse("* Head\n"+text, nil)
	if len(d.Headlines) != 2 {
		t.Fatalf("%d headlines in\n%s", len(d.Headlines), text)
	}
	h := d.Headlines[1]
	if h.Todo != "" || h.Priority != "" || len(h.Tags) > 0 || len(d.Keywords) > 0 {
		t.Errorf("todo %q, priority %q, tags %q, settings %v in\n%s", h.Todo, h.Priority, h.Tags, d.Keywords, text)
	}
	var keys []string
	for _, p := range h.Properties {
		keys = append(keys, p.Key)
	}
	if !slices.Equal(keys, []string{"ID", "ENTITY", "ENTITY_TYPE", "ORDER"}) && !slices.Equal(keys, []string{"ID", "FROM", "RELATION", "TO", "ORDER"}) {
		t.Errorf("properties %q in\n%s", keys, text)
	}
	folded := strings.ToLower(text)
	for _, word := range []string{"elisp:", "shell:", "file+emacs:", "file+sys:", "local variables:", "-*-", "#+", "src_", "call_", "{{{", "%%("} {
		if strings.Contains(folded, word) {
			t.Errorf("%s in\n%s", word, text)
		}
	}
}

// TestReadLines reads the file of that server, damaged lines and all.
func TestReadLines(t *testing.T) {
	const text = `{"type":"entity","name":"A","entityType":"t","observations":["o"]}

{"type":"relation","from":"A","to":"B","relationType":"r"}
{"type":"entity","name":
{"type":"entity"}
{"type":"other","name":"x"}
` + "\x00\n" + `{"type":"entity","name":"B"}`
	g, bad := ReadLines([]byte(text))
	want := Graph{
		Entities:  []Entity{{"A", "t", []string{"o"}}, {"B", "", []string{}}},
		Relations: []Relation{{"A", "B", "r"}},
	}
	if d := cmp.Diff(want, g); d != "" {
		t.Error(d)
	}
	var lines []string
	for _, b := range bad {
		number, _, _ := strings.Cut(b, ":")
		lines = append(lines, number)
	}
	if d := cmp.Diff([]string{"line 4", "line 5", "line 6", "line 7"}, lines); d != "" {
		t.Error(d)
	}
}

// TestReadLooseLines: values of another type than that server writes are taken for what they mean,
// or the field is named.
func TestReadLooseLines(t *testing.T) {
	entity := func(observations ...string) Graph { return Graph{Entities: []Entity{{"A", "t", observations}}} }
	for _, tc := range []struct {
		line, bad string
		want      Graph
	}{
		{`{"type":"entity","name":"A","entityType":"t","observations":"likes tea"}`, "", entity("likes tea")},
		{`{"type":"entity","name":"A","entityType":"t","observations":["likes tea",7,true,1.50]}`, "", entity("likes tea", "7", "true", "1.50")},
		{`{"type":"entity","name":"A","entityType":"t","observations":7}`, "", entity("7")},
		{`{"type":"entity","name":"A","entityType":"t","observations":"[\"a\",2]"}`, "", entity("a", "2")},
		{`{"type":"entity","name":"A","entityType":"t","observations":null}`, "", entity([]string{}...)},
		{`{"type":"entity","name":7,"entityType":null}`, "", Graph{Entities: []Entity{{"7", "", []string{}}}}},
		{`{"type":"relation","from":1,"to":2,"relationType":true}`, "", Graph{Relations: []Relation{{"1", "2", "true"}}}},
		{`{"type":"relation","from":"1","to":"2","relationType":"r","name":{"x":1},"observations":7}`, "", Graph{Relations: []Relation{{"1", "2", "r"}}}},
		{`{"type":"entity","name":"A","entityType":"t","observations":["o"],"from":{"x":1},"to":7}`, "", entity("o")},
		{`{"type":"entity","name":["A"]}`, "line 1: the field name is a text", Graph{}},
		{`{"type":"entity","name":"A","observations":[{"text":"x"}]}`, "line 1: the field observations is a list, each part of which is a text", Graph{}},
		{`{"type":"entity","name":"A","observations":{"text":"x"}}`, "line 1: the field observations is a list", Graph{}},
		{`[1]`, "line 1: not a JSON object", Graph{}},
		{`{"type":`, "line 1: not a JSON object", Graph{}},
	} {
		g, bad := ReadLines([]byte(tc.line))
		asWanted := strings.HasPrefix(strings.Join(bad, " "), tc.bad) && (tc.bad == "") == (len(bad) == 0)
		if d := cmp.Diff(tc.want, g, cmpopts.EquateEmpty()); d != "" || !asWanted {
			t.Errorf("%s: %v\n%s", tc.line, bad, d)
		}
	}
}

func FuzzReadLines(f *testing.F) {
	f.Add([]byte(`{"type":"entity","name":"A","entityType":"t","observations":["o"]}`))
	f.Add([]byte("{\n\x00\n[]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, _ := ReadLines(text)
		again, bad := ReadLines(asLines(g))
		if d := cmp.Diff(g, again); d != "" || len(bad) > 0 {
			t.Error(d, bad)
		}
	})
}
