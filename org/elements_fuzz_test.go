// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"testing"

	"github.com/fovea-memory/fovea/org"
)

// FuzzElements checks on any bytes that the elements of each section tile it and that
// what they hold can be read.
func FuzzElements(f *testing.F) {
	for _, seed := range []string{
		"",
		"\xef\xbb\xbf\r\n- a\r\n\r\n  b\r\n",
		"#+name: x\n#+begin_src sh -n 3 :var a=b\n,* a\n#+end_src\n#+begin: clocktable :x\n#+end:\n",
		"- [@3] [X] a :: b\n  - c\n\n    1. d\n e\n\n\nf\n",
		"| a | b |\n|---+---|\n#+TBLFM: $1=2\n+--+\n| a|\n+--+\n",
		"* a\nSCHEDULED: <2026-01-05 Mon>\n:PROPERTIES:\n:ID: 1\n:END:\n:LOGBOOK:\nCLOCK: [2026-01-05 Mon 09:00] => 1:30\n:END:\n",
		"[fn:1] a\n\n#+caption[b]: c\n[fn:2]\n\n\n#+call: f[a](b) c\n\\begin{a}\n\\end{a}\n-----\n%%(a)\n: b\n# c\n",
		"#+begin_verse\n*a* [[b][c /d/]]\n#+end_verse\n| *e* | f |\n- /g/ :: h\n",
		"#+begin_quote\n\n#+begin_center\na\n*\nb\n#+end_center\n#+end_quote",
		"* a\n*** b\nSCHEDULED: <2026-01-05 Mon>\n\nc\n*** END\n- d\n*** e\n  f\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		checkElements(t, org.Parse(src, nil))
	})
}

// checkElements fails unless the elements of each section of d are in their places.
func checkElements(t *testing.T, d *org.Document) {
	t.Helper()
	for i := -1; i < len(d.Headlines); i++ {
		tree := d.Elements(i)
		start, end := d.Start, d.SectionEnd
		if i >= 0 {
			start, end = d.Headlines[i].Start, d.Headlines[i].SectionEnd
		}
		top := &tree.Elements[0]
		if int(top.Start) != start || int(top.End) != end || int(top.Next) != len(tree.Elements) || top.Parent != -1 {
			t.Fatalf("element 0 is %+v, want it from %d to %d", top, start, end)
		}
		for k := range tree.Elements {
			checkElement(t, d, tree, k)
			readValues(tree, k)
		}
		checkTiers(t, tree, d.Objects(i))
	}
}

// checkTiers fails unless objects has the elements of tree, and each object inside
// the element or object that it says.
func checkTiers(t *testing.T, tree, objects *org.Tree) {
	t.Helper()
	next := 0
	for k := range objects.Elements {
		e := &objects.Elements[k]
		if k > 0 {
			parent := &objects.Elements[e.Parent]
			if int(e.Parent) >= k || e.Next > parent.Next || e.Start < parent.Start || e.End > parent.End {
				t.Fatalf("%s %+v is not in %s %+v", e.Type, e, parent.Type, parent)
			}
		}
		if e.Type.IsObject() {
			continue
		}
		if next == len(tree.Elements) || tree.Elements[next].Type != e.Type || tree.Elements[next].Start != e.Start || tree.Elements[next].End != e.End {
			t.Fatalf("%s %+v is no element without objects", e.Type, e)
		}
		next++
	}
	if next != len(tree.Elements) {
		t.Fatalf("%d elements, %d without objects", next, len(tree.Elements))
	}
}

// checkElement fails unless element k of the tree begins and ends with a line, lies
// in its parent's contents, and is tiled by its children.
func checkElement(t *testing.T, d *org.Document, tree *org.Tree, k int) {
	t.Helper()
	e := &tree.Elements[k]
	if !(e.Start <= e.Body && e.Body <= e.End && e.Start < e.End || k == 0) || int(e.Next) <= k {
		t.Fatalf("%s: offsets of %+v are not in order", e.Type, e)
	}
	atLine := func(at int32) bool {
		return int(at) == d.Start || int(at) == len(d.Source) || d.Source[at-1] == '\n'
	}
	first := k > 0 && int(e.Parent) == k-1 // it may stand behind a bullet or label
	behind := first && (tree.Elements[k-1].Type == org.TypeItem || tree.Elements[k-1].Type == org.TypeFootnoteDefinition)
	if !atLine(e.End) || !atLine(e.Start) && !(behind && e.Type == org.TypeParagraph) {
		t.Fatalf("%s from %d to %d is not made of lines", e.Type, e.Start, e.End)
	}
	if e.ContentsEnd > 0 && !(e.Body <= e.ContentsStart && e.ContentsStart <= e.ContentsEnd && e.ContentsEnd <= e.End) {
		t.Fatalf("%s: contents of %+v are not in it", e.Type, e)
	}
	if int(e.Next) == k+1 {
		return
	}
	at := e.ContentsStart
	for c := range tree.Children(k) {
		child := &tree.Elements[c]
		if int(child.Parent) != k || child.Start != at {
			t.Fatalf("%s at %d: child %s of %d is at %d, want %d", e.Type, e.Start, child.Type, child.Parent, child.Start, at)
		}
		at = child.End
	}
	if at != e.ContentsEnd {
		t.Fatalf("%s at %d: children end at %d, contents at %d", e.Type, e.Start, at, e.ContentsEnd)
	}
}

// readValues reads all that element k may hold.
func readValues(tree *org.Tree, k int) {
	_ = elementValues(tree, k)
	_ = tree.Item(k).Ordered()
	_ = tree.Block(k)
	_ = tree.Name(k)
}
