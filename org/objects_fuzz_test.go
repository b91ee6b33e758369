// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/org"
)

// FuzzObjects checks that objects lie inside their parents in order, and that every
// one can be asked what it holds.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		"a *b /c/ _d_* =e= ~f~ +g+ x_{y} z^2 \\alpha{} \\(h\\) $i$ \\\\\n",
		"* [[id:a][b *c*]] https://d.e/(f) <mailto:g> [fn:1] :h:\n- [[i]] :: [2026-01-05]--[2026-01-06] <%%(x)> [1/2]\n",
		"[cite/s:a;b @c d;@e;f] {{{g(h\\,i,j)}}} @@k:l@@ src_m[n]{o} call_p[q](r)[s] <<t>> <<<u v>>>\nU\nv [fn:w:x *y*]\n",
		"| *a | b* | [[c][d]] |\n#+LINK: e https://f/%s\n[[e:g]] \xff_\xfe \xe2\x80",
		"[[a\\]b][c]] [[d]e]] ***f*** {{{ @@ $$ \\[ \\( << <<< [[ _{ ^( [fn:: src_a[ call_b(",
		"call_a{(b) src_a({b} call_a{[b](c)[d]\n- [@c] [X] *a* :: b\n#+call: a[(b\n#+caption[[a]: b\nCLOCK: [2026-01-05]\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		d := org.Parse(src, nil)
		for i := -1; i < len(d.Headlines); i++ {
			checkObjects(t, d.Objects(i))
		}
	})
}

// checkObjects fails unless the objects of the tree are in their places and readable.
func checkObjects(t *testing.T, tree *org.Tree) {
	t.Helper()
	last := map[int32]int32{} // by parent, the end of the last child that is an object
	for i := range tree.Elements {
		readAll(tree, i)
		e := &tree.Elements[i]
		if !e.Type.IsObject() {
			continue
		}
		parent := &tree.Elements[e.Parent]
		start, end := parent.Start, parent.End
		if parent.Type.IsObject() {
			start, end = parent.ContentsStart, parent.ContentsEnd
		}
		if before, ok := last[e.Parent]; ok && before > e.Start || e.Start < start || e.End > end || e.Start >= e.End && e.Type != org.TypeTableCell {
			t.Fatalf("%s from %d to %d lies behind %d or not inside the %s from %d to %d of %q",
				e.Type, e.Start, e.End, before, parent.Type, start, end, tree.Source)
		}
		last[e.Parent] = e.End
		if e.ContentsStart < e.Start && e.ContentsEnd > 0 || e.ContentsEnd < e.ContentsStart || e.ContentsEnd > e.End-e.PostBlank {
			t.Fatalf("%s from %d to %d has contents from %d to %d", e.Type, e.Start, e.End, e.ContentsStart, e.ContentsEnd)
		}
		checkValues(t, tree, i)
	}
}

// readAll asks element i for everything that an element or object of any type holds.
func readAll(tree *org.Tree, i int) {
	_, _, _, _ = tree.Item(i), tree.Keyword(i), tree.Name(i), tree.Text(i)
	_, _, _, _, _ = tree.Drawer(i), tree.Property(i), tree.IsTableEl(i), tree.IsRule(i), tree.Block(i)
	_, _, _, _, _ = tree.Value(i), tree.Label(i), tree.Link(i), tree.Footnote(i), tree.Marked(i)
	_, _ = tree.Clock(i)
	_ = slices.Collect(tree.Formulas(i))
	_ = slices.Collect(tree.Children(i))
}

// checkValues reads all that object i may hold.
func checkValues(t *testing.T, tree *org.Tree, i int) {
	t.Helper()
	has := map[org.Type]bool{org.TypeLink: tree.Link(i).Raw != "", org.TypeCode: tree.Marked(i) != ""}
	if want, ok := has[tree.Elements[i].Type]; ok && !want {
		t.Errorf("the %s %q holds nothing", tree.Elements[i].Type, tree.Text(i))
	}
}

// pathologicalObjects yields lines of about n bytes that invite slow or deep work on
// objects.
func pathologicalObjects(n int) iter.Seq2[string, string] {
	openings := []string{
		"*a ", "*a", "/*_+", "=a ", "~ ~a", "_a ", "a_{", "a_{b ", "a_(", "a^(b", "a_b", "[", "[[", "[[a", "[[a][", "[[a][b", "[[a [", `[[a\`,
		`\`, `\\ `, `\a{`, `\a[`, `\(`, `\[ `, "$", "$a ", "$$a", "$a$b", "{", "{{{", "{{{a(", "@", "@@a:", "@@", "<", "<<", "<<a", "<<<a",
		"<http:", "<https:a ", "<2026-01-05 ", "<%%(", "[2026-01-05 a ", "http:", "https://a(", "https://a((b", "https:((", "id:a ", ":", "::", "[fn:",
		"[fn::", "[fn:a:b", "[cite:", "[cite:a ", "[cite:@a;", "[cite/a", "src_a{", "src_:", "src_a[", " src_a[ ", "call_a(", "call_:", "call_a[",
		"[1/", "[1", "]]", "}}}", ">>", "a\n", `a\\` + "\n", "中*a", "中http:", "\xff_", "_\xff",
	}
	return func(yield func(string, string) bool) {
		for _, s := range openings {
			if !yield(fmt.Sprintf("%q", s), "x "+strings.Repeat(s, n/len(s))) {
				return
			}
		}
		for _, pair := range [...][2]string{
			{"*", "*"}, {"[fn::", "]"}, {"a_{", "}"}, {"*/", "/*"}, {"*(/(", ")/)*"}, {"[[a][", "]]"}, {"[cite:", "@a]"}, {"src_a{", "}"}, {"<<<", ">>>"},
			{"[fn::[cite:", "]]"},
		} {
			k := n / (len(pair[0]) + len(pair[1]))
			text := strings.Repeat(pair[0], k) + "a" + strings.Repeat(pair[1], k)
			if !yield(fmt.Sprintf("%q nested", pair[0]), "x "+text) {
				return
			}
		}
		yield("radio targets", "<<<"+strings.Repeat("a ", 100)+"b>>> "+strings.Repeat("a ", n/2))
		yield("many radio targets", manyRadioTargets(n))
	}
}

func manyRadioTargets(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n/2; i++ {
		fmt.Fprintf(&b, "<<<a %d>>> ", i)
	}
	return b.String() + strings.Repeat("a 1", n/6)
}

// TestPathologicalObjectsAreRead reads a megabyte of each; a parser that is not
// linear would run into the time limit of the test run.
func TestPathologicalObjectsAreRead(t *testing.T) {
	for name, text := range pathologicalObjects(1 << 20) {
		t.Run(name, func(t *testing.T) {
			tree := org.Parse(text, nil).Objects(-1)
			if len(tree.Elements) > 0 && int(tree.Elements[0].End) != len(text) {
				t.Errorf("the tree ends at %d, want %d", tree.Elements[0].End, len(text))
			}
		})
	}
}

// TestNestingIsBounded shows that objects nested beyond the bound are text.
func TestNestingIsBounded(t *testing.T) {
	deep := func(levels int) int {
		text := strings.Repeat("[fn::", levels) + strings.Repeat("]", levels)
		tree := org.Parse("x "+text, nil).Objects(-1)
		depth := make([]int, len(tree.Elements))
		for i := 1; i < len(tree.Elements); i++ {
			depth[i] = depth[tree.Elements[i].Parent]
			if tree.Elements[i].Type == org.TypeFootnoteReference {
				depth[i]++
			}
		}
		return slices.Max(depth)
	}
	for levels, want := range map[int]int{1: 1, 50: 50, 100: 100, 101: 100, 5000: 100} {
		if got := deep(levels); got != want {
			t.Errorf("%d levels are read %d deep, want %d", levels, got, want)
		}
	}
}
