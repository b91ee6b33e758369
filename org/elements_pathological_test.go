// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/org"
)

// pathologicalElements yields texts of about n bytes that invite slow or deep work
// below the outline.
func pathologicalElements(n int) iter.Seq2[string, string] {
	fill := func(pattern string) string { return strings.Repeat(pattern, n/len(pattern)) }
	// numbered repeats the pattern with rising numbers; nested adds, in reverse, what
	// closes them.
	numbered := func(pattern string, size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, pattern, i)
		}
		return b.String()
	}
	nested := func(open, shut string) string {
		opened := numbered(open, n/2)
		var b strings.Builder
		b.WriteString(opened)
		for i := strings.Count(opened, open[:strings.Index(open, "%d")]) - 1; i >= 0; i-- {
			fmt.Fprintf(&b, shut, i)
		}
		return b.String()
	}
	var deep, deeper strings.Builder
	for i := 0; deep.Len() < n; i++ {
		deep.WriteString(strings.Repeat(" ", i) + "- a\n")
	}
	for i := 0; deeper.Len() < n; i++ {
		deeper.WriteString(strings.Repeat("\t", i) + "- a\n" + strings.Repeat("\t", i) + "  b\n\n")
	}
	cases := []struct{ name, text string }{
		{"nested blocks", nested("#+begin_a%d\n", "#+end_a%d\n")},
		{"nested blocks in lists", nested("- a\n #+begin_a%d\n", " #+end_a%d\n")},
		{"nested blocks after blank lines", nested("\n\n#+begin_a%d\n\n", "\n#+end_a%d\n\n")},
		{"nested environments", nested("\\begin{a%d}\n", "\\end{a%d}\n")},
		{"unclosed blocks of many names", numbered("#+begin_a%d\n", n)},
		{"unclosed blocks in items", numbered("- a\n  #+begin_a%d\n", n)},
		{"unclosed blocks of one name", fill("#+begin_quote\n")},
		{"blocks closed once", fill("#+begin_quote\n") + "#+end_quote\n"},
		{"ends of blocks", fill("#+end_quote\n")},
		{"unclosed drawers", fill(":a:\n")},
		{"drawers closed once", fill(":a:\n") + ":END:\n"},
		{"drawers", fill(":a:\n:END:\n")},
		{"unclosed dynamic blocks", fill("#+begin: a\n")},
		{"deep list", deep.String()},
		{"deep list with text", deeper.String()},
		{"long list", fill("- a\n\n")},
		{"zigzag list", fill("  - a\n - b\n")},
		{"stars", fill(" *\n")},
		{"tags", "- " + fill(":: ")},
		{"counter", "- [@" + fill("1")},
		{"affiliated keywords", fill("#+name: a\n")},
		{"affiliated keywords in an item", "- a\n" + fill("  #+name: a\n")},
		{"affiliated keywords and blank lines", fill("#+name: a\n\n")},
		{"one affiliated keyword", "#+caption[" + fill("]:[")},
		{"rules of tables", fill("+--+\n") + "+\n"},
		{"rules of tables in items", fill("- a\n  +--+\n  | a\n")},
		{"rows", fill("|a\n")},
		{"one row", fill("|")},
		{"formulas", "|a\n" + fill("#+TBLFM: $1=2\n")},
		{"footnotes", fill("[fn:1]\n")},
		{"affiliated footnotes", fill("#+name: a\n[fn:1] a\n")},
		{"blank lines", "- a\n" + fill("\n") + "b"},
		{"blank lines in blocks", fill("#+begin_quote\n\n\n\n\n#+end_quote\n\n")},
		{"long blank lines", "- a\n" + fill(" ") + "\n- b\n" + fill(" ")},
		{"clocks", "CLOCK: " + fill("[2026-01-05]--")},
		{"inline tasks", fill(strings.Repeat("*", 15) + " a\n")},
		{"inline tasks in items", fill("- a\n" + strings.Repeat("*", 15) + " a\nb\n" + strings.Repeat("*", 15) + " END\n")},
		{"one star line", fill("*") + " a\n"},
		{"switches", "#+begin_src a" + fill(" -n 1") + "\n#+end_src\n"},
		{"commas", "#+begin_src a\n" + fill(",") + "*\n#+end_src\n"},
		{"carriage returns", fill("\r\n")},
		{"no line ends", fill("a \r")},
	}
	return func(yield func(string, string) bool) {
		for _, c := range cases {
			if !yield(c.name, c.text) {
				return
			}
		}
	}
}

// TestPathologicalElementsAreRead parses a quarter of a megabyte of each, objects
// too; a parser that is not linear would run into the time limit of the test run.
func TestPathologicalElementsAreRead(t *testing.T) {
	for name, text := range pathologicalElements(1 << 18) {
		t.Run(name, func(t *testing.T) {
			checkElements(t, org.Parse(text, nil))
			checkElements(t, org.Parse("* a\n"+text, nil))
		})
	}
}

// BenchmarkPathologicalElements shows that no kind of text is slow: compare the MB/s.
func BenchmarkPathologicalElements(b *testing.B) {
	for name, text := range pathologicalElements(1 << 20) {
		b.Run(name, func(b *testing.B) {
			d := org.Parse(text, nil)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				d.Elements(-1)
			}
		})
	}
}

// BenchmarkElements reads the elements of all sections of parsed documents.
func BenchmarkElements(b *testing.B) {
	for _, tc := range []struct {
		name  string
		texts func() []string
	}{
		{"corpus", func() []string { return corpusTexts(b) }},
		{"generated", func() []string { return []string{generated(10_000)} }},
	} {
		b.Run(tc.name, func(b *testing.B) {
			size := 0
			var documents []*org.Document
			for _, text := range tc.texts() {
				size += len(text)
				documents = append(documents, org.Parse(text, nil))
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, d := range documents {
					for i := -1; i < len(d.Headlines); i++ {
						d.Elements(i)
					}
				}
			}
		})
	}
}
