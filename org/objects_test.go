// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
)

// objects prints the objects of the first section of text: type, text, and in
// brackets the objects inside.
func objects(text string) string {
	tree := org.Parse(text, nil).Objects(-1)
	var b strings.Builder
	var print func(i int)
	print = func(i int) {
		e := &tree.Elements[i]
		if e.Type.IsObject() {
			fmt.Fprintf(&b, " %s%q", e.Type, tree.Text(i))
		}
		inside := b.Len()
		for k := range tree.Children(i) {
			print(k)
		}
		if e.Type.IsObject() && b.Len() > inside {
			inner := strings.TrimPrefix(b.String()[inside:], " ")
			outer := b.String()[:inside]
			b.Reset()
			b.WriteString(outer + "(" + inner + ")")
		}
	}
	print(0)
	return strings.TrimPrefix(b.String(), " ")
}

func TestObjects(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"markup", "*a* /b/ _c_ =d= ~e~ +f+", `bold"*a* " italic"/b/ " underline"_c_ " verbatim"=d= " code"~e~ " strike-through"+f+"`},
		{"markup inside markup", "*a /b =c=/* =*d*=", `bold"*a /b =c=/* "(italic"/b =c=/"(verbatim"=c=")) verbatim"=*d*="`},
		{"markers inside words", "a*b* *c *d*e * f* g*", `bold"*c *d*e * f* "`},
		{"markup over lines", "*a\nb*", `bold"*a\nb*"`},
		{"the ends of contents are edges", "***a***", `bold"***a***"(bold"**a**"(bold"*a*"))`},
		{"space of other kinds", "\u3000*a*\u200b *b*—", "bold\"*a*\""},
		{"scripts", "a_b a_{c d} x^2 x^{-y_{z}} a_*", `subscript"_b " subscript"_{c d} " superscript"^2 " superscript"^{-y_{z}} "(subscript"_{z}") subscript"_*"`},
		{"script in parentheses", "a_(b)c", `subscript"_(b)"`},
		{"a caret before a command", `x^\alpha x_\alpha`, `entity"\\alpha " subscript"_\\alpha"(entity"\\alpha")`},
		{"a citation without its key", "[cite:a @", ``},
		{"script in parentheses with another", "a_(b^c)", `subscript"_(b^c)"(superscript"^c")`},
		{"no script", "x _a ^b a_+ c_{b", ``},
		{"entities", `\alpha{}b \there4 \sup2 \frac12x \sup2x`, `entity"\\alpha{}" entity"\\there4 " entity"\\sup2 " latex-fragment"\\frac" entity"\\sup"`},
		{"blanks at the end of a tag", "- \\_  :: a\n- \\_ :: b", `entity"\\_ "`},
		{"fragments", `\foo{a}[b] \(c\) \[d\] $e$ $$f$$ 5$ and 6$ $g$h`,
			`latex-fragment"\\foo{a}[b] " latex-fragment"\\(c\\) " latex-fragment"\\[d\\] " latex-fragment"$e$ " latex-fragment"$$f$$ "`},
		{"fragments beside blanks of other kinds", "layer $l\u200b$ and $a_1,a_2\u200b$, $x\u00a0$ and $\u3000y_1$",
			`latex-fragment"$l\u200b$ " latex-fragment"$a_1,a_2\u200b$" latex-fragment"$x\u00a0$ " latex-fragment"$\u3000y_1$"`},
		{"fragments beside blanks of more kinds", "$\u2009a$ $b\u202f$ $\fc$ $d\v$", `latex-fragment"$\u2009a$ " latex-fragment"$b\u202f$ " ` +
			`latex-fragment"$\fc$ " latex-fragment"$d\v$"`},
		{"no fragment beside blanks", "$ a$ $b $ $\tc$ $d\t$ $\r\ne$ $f\r\n$", ``},
		{"fragments before what is not seen", "$a$\u200db $c$\vd $e$\u200ef $g$\x01",
			`latex-fragment"$a$" latex-fragment"$c$" latex-fragment"$e$" latex-fragment"$g$"`},
		{"no fragment before a symbol", "$a$→ $b$€ $c$\u2060d", ``},
		{"fragments after what ends others", `a \)\(x\) \]\[y\]`, `latex-fragment"\\(x\\) " latex-fragment"\\[y\\]"`},
		{"line break", "a\\\\\nb\\\\ \nc\\\\ d", `line-break"\\\\\n" line-break"\\\\ \n"`},
		{"line break with a carriage return", "a\\\\\r\nb", `line-break"\\\\\r\n"`},
		{"links", "[[a]] [[b][c *d*]] <https://e f> id:gh https://i/(j).",
			`link"[[a]] " link"[[b][c *d*]] "(bold"*d*") link"<https://e f> " link"id:gh " link"https://i/(j)"`},
		{"groups in plain links", "https://a/b(c d) https://e(f[g])(h) https://i/(j[k<l>])", `link"https://a/b" link"https://e(f[g])(h) " link"https://i/"`},
		{"no link in a link", "[[a][https://b.c [1/2]]]", `link"[[a][https://b.c [1/2]]"`},
		{"radio links", "<<<some Word>>> a Some\nword awesome words", `radio-target"<<<some Word>>> " link"Some\nword "`},
		{"radio links between letters", "<<<ab>>> abé éab ab, 一ab一", `radio-target"<<<ab>>> " link"ab" link"ab"`},
		{"no bracket links", "a [[]] b [[c] d]] [[e", ``},
		{"targets", "<<a b>> << c>> <<d>", `target"<<a b>> "`},
		{"footnotes", "a[fn:1] b[fn::c *d*] e[fn:f:g [h]] [1] [fn:]",
			`footnote-reference"[fn:1] " footnote-reference"[fn::c *d*] "(bold"*d*") footnote-reference"[fn:f:g [h]] "`},
		{"citations", "[cite/s:a;b @c;@d e;f] [cite:x]", `citation"[cite/s:a;b @c;@d e;f] "(citation-reference"b @c;" citation-reference"@d e;")`},
		{"cookies", "[1/2] [50%] [/] [%] [a/2]", `statistics-cookie"[1/2] " statistics-cookie"[50%] " statistics-cookie"[/] " statistics-cookie"[%] "`},
		{"timestamps", "<2026-01-05 Mon>--<2026-01-06> [2026-01-05\nMon] <%%(a b)>", `timestamp"<2026-01-05 Mon>--<2026-01-06> " timestamp"<%%(a b)>"`},
		{"macros", "{{{a}}} {{{b(c, d)}}} {{{1}}} {{{e (f)}}}", `macro"{{{a}}} " macro"{{{b(c, d)}}} "`},
		{"snippets", "@@html:<b>@@ @@:a@@ @@c:@@ @@a", `export-snippet"@@html:<b>@@ " export-snippet"@@c:@@ "`},
		{"code in lines", "src_go[:a b]{x{y}} call_f[a](b)[c] xsrc_c{d}", `inline-src-block"src_go[:a b]{x{y}} " inline-babel-call"call_f[a](b)[c] " subscript"_c"`},
		{"cells hold fewer", "| *a* [1/2] | [[b]] |", `table-cell" *a* [1/2] |"(bold"*a* ") table-cell" [[b]] |"(link"[[b]]")`},
		{"invalid UTF-8", "\xff*a* *b\xff* c_\xff", `bold"*b\xff* "`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, objects(test.text)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

// first returns the first object of its type in text.
func first(t *testing.T, text string, kind org.Type) (tree *org.Tree, i int) {
	t.Helper()
	tree = org.Parse(text, nil).Objects(-1)
	for i := range tree.Elements {
		if tree.Elements[i].Type == kind {
			return tree, i
		}
	}
	t.Fatalf("%q holds no %s", text, kind)
	return nil, 0
}

func TestObjectValues(t *testing.T) {
	tests := []struct {
		text string
		kind org.Type
		read func(*org.Tree, int) any
		want any
	}{
		{"a[fn:b]", org.TypeFootnoteReference, func(t *org.Tree, i int) any { return t.Footnote(i) }, "b"},
		{"a[fn:b:c]", org.TypeFootnoteReference, func(t *org.Tree, i int) any { return t.Footnote(i) }, "b"},
		{"a[fn::c]", org.TypeFootnoteReference, func(t *org.Tree, i int) any { return t.Footnote(i) }, ""},
		{"=a b= c", org.TypeVerbatim, func(t *org.Tree, i int) any { return t.Marked(i) }, "a b"},
		{"~a~", org.TypeCode, func(t *org.Tree, i int) any { return t.Marked(i) }, "a"},
		{"<<a b>>", org.TypeTarget, func(t *org.Tree, i int) any { return t.Marked(i) }, "a b"},
		{"<<<a>>>", org.TypeRadioTarget, func(t *org.Tree, i int) any { return t.Marked(i) }, "a"},
		{"[1/2] ", org.TypeStatisticsCookie, func(t *org.Tree, i int) any { return t.Marked(i) }, "[1/2]"},
		{"$a$ b", org.TypeLatexFragment, func(t *org.Tree, i int) any { return t.Marked(i) }, "$a$"},
		{"[[file:a::*b][c]]", org.TypeLink, func(t *org.Tree, i int) any { return t.Link(i) },
			org.Link{Type: "file", Path: "a", Search: "*b", Raw: "file:a::*b", Description: "c", End: 17}},
		{"<<<a>>> A", org.TypeLink, func(t *org.Tree, i int) any { return t.Link(i) },
			org.Link{Format: org.LinkRadio, Type: "radio", Path: "A", Raw: "A", Description: "A", Start: 8, End: 9}},
		{"#+LINK: a b:%s\n[[a:c]]", org.TypeLink, func(t *org.Tree, i int) any { return t.Link(i).Raw }, "b:c"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			tree, i := first(t, test.text, test.kind)
			if diff := cmp.Diff(test.want, test.read(tree, i)); diff != "" {
				t.Errorf("the %s of %q (-want +got):\n%s", test.kind, test.text, diff)
			}
		})
	}
}

// TestObjectsConcurrently reads one document from several goroutines: its radio
// targets are collected once, by whoever comes first.
func TestObjectsConcurrently(t *testing.T) {
	d := org.Parse("<<<word>>>\n* a word\n* b\na word and words\n", nil)
	var group sync.WaitGroup
	counts := make([]int, 8)
	for g := range counts {
		group.Go(func() {
			for i := -1; i < len(d.Headlines); i++ {
				for _, e := range d.Objects(i).Elements {
					if e.Type == org.TypeLink {
						counts[g]++
					}
				}
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff([]int{2, 2, 2, 2, 2, 2, 2, 2}, counts); diff != "" {
		t.Errorf("radio links by goroutine (-want +got):\n%s", diff)
	}
}

func TestWithoutCookies(t *testing.T) {
	for title, want := range map[string]string{
		"":                          "",
		"Plain  title":              "Plain  title",
		"Half [50%] done":           "Half done",
		"[1/2] [%]  Twice  [/]":     "Twice",
		"See  [1] [a/2] [5 %] [1/2": "See [1] [a/2] [5 %] [1/2",
		"[2/3][40%]":                "",
	} {
		if got := org.WithoutCookies(title); got != want {
			t.Errorf("%q without its cookies is %q, want %q", title, got, want)
		}
	}
}
