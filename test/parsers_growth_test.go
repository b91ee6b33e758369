// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/outline"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// numbered repeats a pattern n times, with the number of each in the place of each ~.
func numbered(n int, pattern string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(pattern, "~", fmt.Sprint(i)))
	}
	return b.String()
}

// readers are the parsers of text that others wrote.
var readers = map[string]func(t *testing.T, text string) (problems []string){
	"markdown": func(t *testing.T, text string) []string {
		return importGrowing(t, foreign.Markdown, "a.md", text)
	},
	"jsonl": func(t *testing.T, text string) []string {
		return importGrowing(t, foreign.JSONLines, "a.jsonl", text)
	},
	"export": func(t *testing.T, text string) []string {
		n := &node.Node{ID: "a", Entry: node.Entry{Path: "a.org"}, Derived: &document.Derived{Title: "A"}}
		if _, _, err := foreign.Folder(t.Context(), foreign.Markdown, []foreign.Out{{Node: n, Text: text}}, nil); err != nil {
			t.Fatal(err)
		}
		return nil
	},
	"org": func(_ *testing.T, text string) []string {
		_ = org.Parse(text, nil)
		return nil
	},
	"tree": func(_ *testing.T, text string) []string {
		_, _ = ast.DecodeTree([]byte(text))
		return nil
	},
	"query": func(_ *testing.T, text string) []string {
		_, _ = query.Parse(text)
		return nil
	},
}

// importGrowing imports a file and writes the Org of its notes.
func importGrowing(t *testing.T, kind foreign.Kind, name, text string) []string {
	docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: kind, File: name, In: fstest.MapFS{name: {Data: []byte(text)}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range docs {
		_ = docs[i].Org("x")
	}
	return problems
}

// growingTexts invite work with the square of n.
var growingTexts = []struct {
	reader, name string
	n            int
	text         func(n int) string
}{
	{"markdown", "columns of a table", 500, func(n int) string {
		return "|" + strings.Repeat("a|", n) + "\n|" + strings.Repeat("-|", n) + "\n" + strings.Repeat("|"+strings.Repeat("b|", n)+"\n", 20)
	}},
	{"markdown", "rows of a table", 2000, func(n int) string { return "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", n) }},
	{"markdown", "rows with escaped bars", 1000, func(n int) string { return "|a|b|\n|-|-|\n" + strings.Repeat("|`c\\|d`|e|\n", n) }},
	{"markdown", "columns with escaped bars", 1000, func(n int) string {
		return "|" + strings.Repeat("a|", n) + "\n|" + strings.Repeat("-|", n) + "\n|" + strings.Repeat("`c\\|d`|", n) + "\n"
	}},
	{"markdown", "tables", 1000, repeated("", "|a|b|\n|-|-|\n|c|d|\n\n", "")},
	{"markdown", "lines of dashes", 2000, repeated("|a|b|\n", "|-|-|\n", "")},
	{"markdown", "targets", 1000, repeated("", "[r~]: http://x/~\n", "")},
	{"markdown", "targets and their uses", 1000, repeated("", "see [r~]\n\n[r~]: http://x/~\n\n", "")},
	{"markdown", "footnotes", 1000, repeated("", "[^~]: text\n", "")},
	{"markdown", "open brackets", 120, repeated("", "[", "")},
	{"markdown", "links", 1000, repeated("", "[a](b~) ", "")},
	{"markdown", "wiki links", 2000, repeated("", "[[a~|b]] ", "")},
	{"markdown", "open wiki links", 60, repeated("", "[[a ", "")},
	{"markdown", "emphasis in emphasis", 2000, func(n int) string { return strings.Repeat("*a **a ", n) + strings.Repeat("b** b*", n) }},
	{"markdown", "open emphasis", 4000, repeated("", "*a _b ", "")},
	{"markdown", "strokes", 4000, repeated("", "~~a ", "")},
	{"markdown", "code", 4000, repeated("", "`a` ", "")},
	{"markdown", "HTML", 4000, repeated("", "a <b> <!-- ", "")},
	{"markdown", "blocks of HTML", 2000, repeated("", "<div>\n\n", "")},
	{"markdown", "headings", 2000, repeated("", "# a~\n\n", "")},
	{"markdown", "quotes in quotes", 100, repeated("", ">", " a\n")},
	{"markdown", "items", 2000, repeated("", "- a~\n", "")},
	{"markdown", "blocks of code", 2000, repeated("", "```\na\n```\n", "")},
	{"markdown", "an open block of code", 4000, repeated("```\n", "a~\n", "")},
	{"markdown", "keys of front matter", 1000, repeated("---\n", "k~: v\n", "---\n")},
	{"markdown", "tags", 2000, repeated("---\ntags: [", "t~, ", "x]\n---\n")},
	{"markdown", "backticks in broken front matter", 2000, repeated("---\na: [\n", "`", "\n---\n")},
	{"markdown", "blocks of Org", 2000, repeated("", "#+begin_src\n\n", "")},
	{"markdown", "colons in a heading", 4000, repeated("# ", "a~:", "\n")},
	{"jsonl", "objects", 1000, repeated("", `{"title":"a~","text":"b"}`+"\n", "")},
	{"jsonl", "keys", 1000, repeated(`{"title":"a"`, `,"k~":"v"`, "}")},
	{"jsonl", "tags", 2000, repeated(`{"title":"a","tags":"`, "t~,", `"}`)},
	{"jsonl", "columns of a table", 1000, func(n int) string {
		return `{"title":"a","text":"|` + strings.Repeat("a|", n) + `\n|` + strings.Repeat("-|", n) + `\n"}`
	}},
	{"export", "columns of a table", 2000, repeated("| ", "a | ", "\n|-|\n")},
	{"export", "rows of a table", 2000, repeated("", "| a~ | b |\n", "")},
	{"export", "headlines", 2000, repeated("", "* a~ :t:\n", "")},
	{"export", "items", 2000, repeated("", "- a~\n", "")},
	{"export", "links", 2000, repeated("", "[[id:x~][a]] ", "")},
	{"export", "markup in markup", 2000, func(n int) string { return strings.Repeat("*a /b ", n) + strings.Repeat("c/ d* ", n) }},
	{"org", "columns of a table", 2000, repeated("| ", "a | ", "\n")},
	{"org", "rows of a table", 2000, repeated("", "| a~ | b |\n", "")},
	{"org", "headlines", 2000, repeated("", "* a~ :t:\n", "")},
	{"org", "items in items", 200, func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "- a\n")
		}
		return b.String()
	}},
	{"tree", "children", 1000, repeated(`["org-data",{}`, `,["headline",{"title":"a~"}]`, "]")},
	{"tree", "attributes", 1000, repeated(`["headline",{"title":"a"`, `,"k~":"v"`, "}]")},
	{"query", "terms", 500, repeated("", "a~ ", "")},
	{"query", "brackets", 200, func(n int) string { return strings.Repeat("(and ", n) + "a" + strings.Repeat(")", n) }},
}

// repeated is a text with a numbered pattern n times.
func repeated(before, pattern, after string) func(n int) string {
	return func(n int) string { return before + numbered(n, pattern) + after }
}

// TestParsersGrowInProportion: a text four times as long has a parser allocate at most six times as much,
// where a square would be sixteen. Allocations do not depend on how busy the machine is. What stands within
// one another in Markdown is bounded instead, see TestTangledMarkdownIsText.
func TestParsersGrowInProportion(t *testing.T) {
	readers, growingTexts := maps.Clone(readers), slices.Clone(growingTexts)
	for _, language := range []string{
		"Go", "Python", "Java", "C", "C++", "Rust", "PHP", "Ruby", "Shell", "Emacs Lisp", "JavaScript", "TypeScript", "Org", "Markdown"} {
		name := "outline of " + language
		readers[name] = func(_ *testing.T, text string) []string {
			_ = outline.Read(language, []byte(text))
			_ = outline.Chunks(language, []byte(text), 2000)
			return nil
		}
		for _, pattern := range []string{"func f~() {}\n", "def f~():\n  pass\n", "class A~ { int f~() { ", "(((\n", "`${`${", "/* ", `"\"`, "<div>\n"} {
			growingTexts = append(growingTexts, struct {
				reader, name string
				n            int
				text         func(n int) string
			}{name, pattern, 1000, repeated("", pattern, "")})
		}
	}
	allocated := func(reader, text string) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		readers[reader](t, text)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	for _, tc := range growingTexts {
		t.Run(tc.reader+"/"+tc.name, func(t *testing.T) {
			few, many := tc.text(tc.n), tc.text(4*tc.n)
			allocated(tc.reader, few) // what is made once
			a, b := allocated(tc.reader, few), allocated(tc.reader, many)
			if longer := float64(len(many)) / float64(len(few)); b > 1.5*longer*a {
				t.Errorf("%.0f bytes are allocated for %d, and %.0f for %d: %.1f times as much", a, len(few), b, len(many), b/a)
			}
		})
	}
}

// TestTangledMarkdownIsText: what costs the parser of Markdown time with its square, though it allocates
// no more, becomes plain text where there is too much of it, and that is said.
func TestTangledMarkdownIsText(t *testing.T) {
	for name, text := range map[string]string{
		"links":                numbered(5000, "[a](b~) "),
		"targets":              numbered(5000, "[r~]: http://x/~\n"),
		"footnotes":            numbered(5000, "[^~]: text\n"),
		"brackets in brackets": strings.Repeat("[", 600) + "a" + strings.Repeat("]", 600),
		"quotes in quotes":     strings.Repeat("> ", 600) + "a",
		"items in items":       strings.Repeat("- ", 600) + "a",
		"numbers in numbers":   strings.Repeat("1. ", 600) + "a",
		"deep items":           strings.Repeat(" ", 600) + "- a",
		"escaped bars":         "|a|b|\n|-|-|\n" + strings.Repeat("|`c\\|d`|e|\n", 5000),
		"cells":                "|" + strings.Repeat("a|", 2000) + "\n|" + strings.Repeat("-|", 2000) + "\n" + strings.Repeat("|b|\n", 600),
	} {
		problems := importGrowing(t, foreign.Markdown, "a.md", text+"\n")
		if len(problems) == 0 || !strings.Contains(problems[0], "as text") {
			t.Errorf("%s: %v", name, problems)
		}
	}
}
