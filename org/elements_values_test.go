// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
)

// find returns the section of text and the first element of the type in it.
func find(t *testing.T, text string, kind org.Type) (*org.Tree, int) {
	t.Helper()
	tree := org.Parse(text, nil).Elements(-1)
	i := slices.IndexFunc(tree.Elements, func(e org.Element) bool { return e.Type == kind })
	if i < 0 {
		t.Fatalf("no %s in %q", kind, text)
	}
	return tree, i
}

func TestItem(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       org.Item
		tag        string
	}{
		{"plain", "- a\n", org.Item{Bullet: "-"}, ""},
		{"number", "10) a\n", org.Item{Bullet: "10)"}, ""},
		{"star", "  * a\n", org.Item{Bullet: "*"}, ""},
		{"counter", "1. [@5] a\n", org.Item{Bullet: "1.", Counter: "5"}, ""},
		{"counter with a word", "1. [@start:5] a\n", org.Item{Bullet: "1.", Counter: "5"}, ""},
		{"counter with zeros", "1. [@05] a\n", org.Item{Bullet: "1.", Counter: "5"}, ""},
		{"counter of nothing", "1. [@00] a\n", org.Item{Bullet: "1.", Counter: "0"}, ""},
		{"counter with a letter", "- [@C] a\n", org.Item{Bullet: "-", Counter: "3"}, ""},
		{"checkbox", "- [X] a\n", org.Item{Bullet: "-", Checkbox: 'X'}, ""},
		{"checkbox alone", "- [ ]\n", org.Item{Bullet: "-", Checkbox: ' '}, ""},
		{"no checkbox", "- [X]a\n", org.Item{Bullet: "-"}, ""},
		{"tag", "- a :: b\n", org.Item{Bullet: "-", TagStart: 2, TagEnd: 3}, "a"},
		{"tag to the last colons", "- a :: b ::\n", org.Item{Bullet: "-", TagStart: 2, TagEnd: 8}, "a :: b"},
		{"no tag in a numbered item", "1. a :: b\n", org.Item{Bullet: "1."}, ""},
		{"all", "- [@2] [-] a  :: b\n", org.Item{Bullet: "-", Counter: "2", Checkbox: '-', TagStart: 11, TagEnd: 12}, "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree, i := find(t, tc.text, org.TypeItem)
			got := tree.Item(i)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("item (-want +got):\n%s", diff)
			}
			if tag := tree.Source[got.TagStart:got.TagEnd]; tag != tc.tag {
				t.Errorf("tag is %q, want %q", tag, tc.tag)
			}
		})
	}
}

func TestBlock(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		kind       org.Type
		want       org.Block
		value      string
	}{
		{"source", "#+begin_src sh -n 5 -r :a b\n  x\n#+end_src\n\n", org.TypeSrcBlock,
			org.Block{Name: "src", Language: "sh", Switches: "-n 5 -r", Parameters: ":a b"}, "  x\n"},
		{"source with a format", "#+BEGIN_SRC c -l \"a b\" -k x\n#+END_SRC\n", org.TypeSrcBlock,
			org.Block{Name: "SRC", Language: "c", Switches: "-l \"a b\" -k", Parameters: "x"}, ""},
		{"switch without a blank behind it", "#+begin_src c -n5 -ix\n#+end_src\n", org.TypeSrcBlock,
			org.Block{Name: "src", Language: "c", Switches: "-n5 -i", Parameters: "x"}, ""},
		{"no switch", "#+begin_src c -l x -x\n#+end_src\n", org.TypeSrcBlock,
			org.Block{Name: "src", Language: "c", Parameters: "-l x -x"}, ""},
		{"nothing", "#+begin_src\n#+end_src\n", org.TypeSrcBlock, org.Block{Name: "src"}, ""},
		{"commas", "#+begin_src org\n,* a\n ,,#+b\n,c\n#+end_src", org.TypeSrcBlock,
			org.Block{Name: "src", Language: "org"}, "* a\n ,#+b\n,c\n"},
		{"example", "#+begin_example -n\n,*\n#+end_example\n", org.TypeExampleBlock, org.Block{Name: "example", Switches: "-n"}, "*\n"},
		{"export", "#+begin_export html x\n<p>\n#+end_export\n", org.TypeExportBlock, org.Block{Name: "export", Language: "html"}, "<p>\n"},
		{"comment block keeps commas", "#+begin_comment\n,*\n#+end_comment\n", org.TypeCommentBlock, org.Block{Name: "comment"}, ",*\n"},
		{"special", "#+begin_Note a b\n#+end_note\n", org.TypeSpecialBlock, org.Block{Name: "Note", Parameters: "a b"}, ""},
		{"dynamic", "#+BEGIN: clocktable :a b\n#+END:\n", org.TypeDynamicBlock, org.Block{Name: "clocktable", Parameters: ":a b"}, ""},
		{"comment", "# a\n  #  b\n#\n", org.TypeComment, org.Block{}, "a\n b\n"},
		{"fixed width", ": a\n:\n :  b\n", org.TypeFixedWidth, org.Block{}, "a\n\n b"},
		{"environment", "\\begin{a}\nb\n\\end{a}\n\n", org.TypeLatexEnvironment, org.Block{}, "\\begin{a}\nb\n\\end{a}\n"},
		{"diary", "%%(a)\n\n", org.TypeDiarySexp, org.Block{}, "%%(a)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree, i := find(t, tc.text, tc.kind)
			if diff := cmp.Diff(tc.want, tree.Block(i)); diff != "" {
				t.Errorf("block (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.value, tree.Value(i)); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
		})
	}
}

func TestName(t *testing.T) {
	tree, i := find(t, "#+name: a\n#+CAPTION[a b]: c\n#+tblname: d\n#+attr_HTML: :e f\n| g |\n", org.TypeTable)
	if got := tree.Name(i); got != "d" {
		t.Errorf("name is %q, want d", got)
	}
}

func TestClock(t *testing.T) {
	const start, end = "[2026-01-05 Mon 09:00]", "[2026-01-05 Mon 10:30]"
	for _, tc := range []struct {
		name, text, stamp, duration string
	}{
		{"closed", "CLOCK: " + start + "--" + end + " =>  1:30\n", start + "--" + end, "1:30"},
		{"running", "  clock: " + start + "\n", start, ""},
		{"without a duration", "CLOCK: " + start + "--" + end + "\n", start + "--" + end, ""},
		{"only a duration", "CLOCK: => 100:05\n", "", "100:05"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree, i := find(t, tc.text, org.TypeClock)
			if stamp, duration := tree.Clock(i); stamp != tc.stamp || duration != tc.duration {
				t.Errorf("clock is %q for %q, want %q for %q", stamp, duration, tc.stamp, tc.duration)
			}
		})
	}
}
