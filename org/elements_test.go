// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
)

// outlineOf prints the elements below the section of t: a greater element with its
// children in brackets, another with its text.
func outlineOf(t *org.Tree) string {
	var print func(i int) string
	print = func(i int) string {
		var parts []string
		for k := range t.Children(i) {
			parts = append(parts, print(k))
		}
		kind := t.Elements[i].Type
		switch {
		case len(parts) > 0 && (kind == org.TypeSection || kind == org.TypeDocument || kind == org.TypeHeadline):
			return strings.Join(parts, " ")
		case len(parts) > 0:
			return kind.String() + "(" + strings.Join(parts, " ") + ")"
		}
		return kind.String() + strconv.Quote(t.Text(i))
	}
	return print(0)
}

// TestElements shows what Org reads where it is not obvious. Each case was read by
// Emacs; those of keywords above comments and of blank lines in drawers by Org 9.8.12,
// since 9.5.5 reads them otherwise.
func TestElements(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"nothing but blank lines", "\n \n", `org-data"\n \n"`},
		{"nothing but a blank", " ", `org-data" "`},
		{"blank lines belong to what stands before them", "a\n\n\nb\n", `paragraph"a\n\n\n" paragraph"b\n"`},
		{"blank lines at the start of a block are a paragraph", "#+begin_quote\n\na\n#+end_quote\n",
			`quote-block(paragraph"\n" paragraph"a\n")`},
		{"blank lines at the start of a drawer are not its contents", ":D:\n\n \na\n:END:\n", `drawer(paragraph"a\n")`},
		{"blank lines alone in a drawer", ":D:\n\n:END:\n", `drawer":D:\n\n:END:\n"`},
		{"blank first line of a log", ":LOGBOOK:\n\nCLOCK: [2026-01-01 Thu 10:00]\n:END:\n", `drawer(clock"CLOCK: [2026-01-01 Thu 10:00]\n")`},
		{"keyword above a comment", "#+NAME: x\n# c\n", `keyword"#+NAME: x\n" comment"# c\n"`},
		{"keywords above a comment", "#+NAME: x\n#+CAPTION: y\n# c\na\n", `keyword"#+NAME: x\n" keyword"#+CAPTION: y\n" comment"# c\n" paragraph"a\n"`},
		{"keyword above a clock", "#+CAPTION: x\nCLOCK: [2026-01-01 Thu 10:00]\n", `keyword"#+CAPTION: x\n" clock"CLOCK: [2026-01-01 Thu 10:00]\n"`},
		{"keyword above a comment in an item", "- a\n  #+NAME: x\n  # c\n  b\n",
			`plain-list(item(paragraph"a\n" keyword"  #+NAME: x\n" comment"  # c\n" paragraph"  b\n"))`},
		{"keyword above a comment block", "#+NAME: x\n#+begin_comment\n#+end_comment\n", `comment-block"#+NAME: x\n#+begin_comment\n#+end_comment\n"`},
		{"rule with blanks around it", " ----- \t\n----\n", `horizontal-rule" ----- \t\n" paragraph"----\n"`},
		{"a form feed is text", "\f\n", `paragraph"\f\n"`},

		{"item after text", "a\n- b\n", `paragraph"a\n" plain-list(item(paragraph"b\n"))`},
		{"star without a margin ends a paragraph and is no item", "a\n*\nb\n", `paragraph"a\n" paragraph"*\nb\n"`},
		{"two stars do not", "a\n**\nb\n", `paragraph"a\n**\nb\n"`},
		{"item on the line of an item is text", "- - a\n", `plain-list(item(paragraph"- a\n"))`},
		{"item without text", "-\n- a\n", `plain-list(item"-\n" item(paragraph"a\n"))`},
		{"text below an empty bullet", "-\n\n  a\n", `plain-list(item(paragraph"  a\n"))`},
		{"two blank lines end all lists", "- a\n  - b\n\n\n  - c\n",
			`plain-list(item(paragraph"a\n" plain-list(item(paragraph"b\n")))) plain-list(item(paragraph"c\n"))`},
		{"items with less and less margin are lists of their own", "- a\n   - b\n  - c\n",
			`plain-list(item(paragraph"a\n" plain-list(item(paragraph"b\n")) plain-list(item(paragraph"c\n"))))`},
		{"blank lines of an item", "- a\n\n- b\n\nc\n", `plain-list(item(paragraph"a\n") item(paragraph"b\n")) paragraph"c\n"`},
		{"margin inside a block does not count", "- a\n  #+begin_quote\nb\n  #+end_quote\n  c\n",
			`plain-list(item(paragraph"a\n" quote-block(paragraph"b\n") paragraph"  c\n"))`},
		{"tabs count to the next stop", "        - a\n\t- b\n", `plain-list(item(paragraph"a\n") item(paragraph"b\n"))`},

		{"unclosed block is text", "#+begin_quote\na\n", `paragraph"#+begin_quote\na\n"`},
		{"block of another name does not close", "#+begin_a\n#+end_b\n#+END_A\n", `special-block(paragraph"#+end_b\n")`},
		{"the first end closes", "#+begin_quote\n#+begin_quote\na\n#+end_quote\n",
			`quote-block(paragraph"#+begin_quote\na\n")`},
		{"dynamic block without an end is text, but ends a paragraph", "a\n#+begin: b\nc\n", `paragraph"a\n" paragraph"#+begin: b\nc\n"`},
		{"begin without a name is a keyword", "#+begin:\n#+end:\n", `keyword"#+begin:\n" keyword"#+end:\n"`},
		{"stray end of a drawer is text", "a\n:END:\nb\n", `paragraph"a\n:END:\nb\n"`},
		{"environment in one line", "\\begin{a}x\\end{a}\nb\n", `latex-environment"\\begin{a}x\\end{a}\n" paragraph"b\n"`},

		{"affiliated keywords", "#+name: a\n#+caption[b]: c\n| d |\n", `table(table-row"| d |\n")`},
		{"affiliated keyword before a blank line is alone", "#+name: a\n\nb\n", `keyword"#+name: a\n\n" paragraph"b\n"`},
		{"key in brackets does not end a paragraph", "a\n#+b[c]: d\n", `paragraph"a\n#+b[c]: d\n"`},
		{"caption with brackets in brackets does not either", "a\n#+caption[[b]]: c\nd\n", `paragraph"a\n#+caption[[b]]: c\nd\n"`},
		{"caption with its short form ends a paragraph", "a\n#+caption[b c]: d\ne\n", `paragraph"a\n" paragraph"#+caption[b c]: d\ne\n"`},
		{"key in brackets alone is a keyword", "#+b[c]: d\n", `keyword"#+b[c]: d\n"`},
		{"keyword without a key is text", "#+: a\n", `paragraph"#+: a\n"`},

		{"formula needs a blank", "| a |\n#+TBLFM:\n", `table(table-row"| a |\n") keyword"#+TBLFM:\n"`},
		{"formulas belong to the table", "| a |\n#+TBLFM: $1=2\n", `table(table-row"| a |\n")`},
		{"rules around rows are a table of table.el", "+--+\n| a\n+--+\n", `table"+--+\n| a\n+--+\n"`},
		{"a rule that does not close one is text", "+--+\n| a |\n", `paragraph"+--+\n" table(table-row"| a |\n")`},

		{"footnote takes paragraphs", "[fn:1] a\n\nb\n\n\nc\n", `footnote-definition(paragraph"a\n\n" paragraph"b\n") paragraph"c\n"`},
		{"footnote ends before the keywords of the next", "[fn:1] a\n#+name: b\n[fn:2] c\n",
			`footnote-definition(paragraph"a\n") footnote-definition(paragraph"c\n")`},
		{"clock without a time is text", "CLOCK: a\nCLOCK: => 1:30\n", `paragraph"CLOCK: a\n" clock"CLOCK: => 1:30\n"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := org.Parse(tc.text, nil)
			checkElements(t, d)
			if diff := cmp.Diff(tc.want, outlineOf(d.Elements(-1))); diff != "" {
				t.Errorf("elements (-want +got):\n%s", diff)
			}
		})
	}
}
