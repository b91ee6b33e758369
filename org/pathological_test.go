// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/org"
)

// pathological yields texts of about n bytes that invite slow or deep work.
func pathological(n int) iter.Seq2[string, string] {
	fill := func(pattern string) string { return strings.Repeat(pattern, n/len(pattern)) }
	var nested strings.Builder
	for level := 1; nested.Len() < n; level++ {
		nested.WriteString(strings.Repeat("*", level) + " a :t:\n")
	}
	cases := []struct{ name, text string }{
		{"stars", fill("*")},
		{"one line", "* " + fill("word ")},
		{"one line of tags", "* x :" + fill("a:")},
		{"blanks", fill(" ")},
		{"headlines", fill("* \n")},
		{"nested headlines", nested.String()},
		{"unclosed drawer", "* x\n:PROPERTIES:\n" + fill(":k: v\n")},
		{"drawer openings", "* x\n" + fill(":PROPERTIES:\n")},
		{"unclosed blocks", fill("#+begin_src\n#+begin_example\n#+begin_verse\n\\begin{a}\n#+begin_export\n#+begin_comment\n")},
		{"unclosed environments", fill("\\begin{a}\n\\begin{b}\n")},
		{"keywords", fill("#+TODO: A B | C\n")},
		{"one keyword line", "#+TODO: " + fill("A(a) ") + "\n* A x\n"},
		{"planning line", "* x\nSCHEDULED: " + fill("SCHEDULED: <2026-01-05 ")},
		{"planning expressions", "* x\nSCHEDULED: " + fill("DEADLINE: <%%(")},
		{"open links", fill("[[")},
		{"open descriptions", fill("[[a][")},
		{"nested links", fill("[[a [") + "]]"},
		{"backslashes", "[[" + fill(`\`) + "]]"},
		{"id links", fill("id:")},
		{"comments", fill("# \n")},
		{"blank lines after planning", fill("* x\nSCHEDULED: <2026-01-05>\n\n\n\n\n")},
		{"NUL", fill("\x00")},
		{"carriage returns", fill("\r")},
		{"invalid UTF-8", "* x :" + fill("\xff:")},
	}
	return func(yield func(string, string) bool) {
		for _, c := range cases {
			if !yield(c.name, c.text) {
				return
			}
		}
	}
}

// TestPathologicalTextIsRead parses a megabyte of each; a parser that is not linear
// would run into the time limit of the test run.
func TestPathologicalTextIsRead(t *testing.T) {
	for name, text := range pathological(1 << 20) {
		t.Run(name, func(t *testing.T) {
			d := org.Parse(text, nil)
			checkDocument(t, d, text)
			last := 0
			for link := range org.Links(text) {
				if link.Start < last || link.End <= link.Start {
					t.Fatalf("link at %d to %d after %d", link.Start, link.End, last)
				}
				last = link.End
			}
		})
	}
}
