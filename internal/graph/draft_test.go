// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
)

// TestPutShares: a document that is read again is no reason to write the map of ids
// anew, and a changed node only to write what leads to it.
func TestPutShares(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(d *Draft)
		again func(d *Draft)
	}{
		{"file",
			func(d *Draft) { d.Put("a.org", document.File("* One\n* Two\n", false)) },
			func(d *Draft) { d.Put("a.org", document.File("* One\n* Two\n", false)) }},
		{"tree",
			func(d *Draft) { putLeaves(t, d, 2) },
			func(d *Draft) { putLeaves(t, d, 2) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Empty(orgFiles).Edit(1)
			c.begin(d)
			s, _ := d.Seal()
			d = s.Edit(2)
			c.again(d)
			next, delta := d.Seal()
			if !delta.Empty() {
				t.Fatalf("%d changes", len(delta.Changes))
			}
			if next.nodes != s.nodes {
				t.Error("the map of ids was written to, though no node changed")
			}
		})
	}
}

// putLeaves puts a tree of a root and so many leaves.
func putLeaves(t *testing.T, d *Draft, leaves int) {
	t.Helper()
	root := &ast.Tree{Type: "section", Attrs: document.Attributes(document.Attr{Key: "ID", Value: document.TextValue("root")})}
	for i := range leaves {
		root.Kids = append(root.Kids, &ast.Tree{Type: "paragraph", Content: fmt.Sprint(i)})
	}
	if err := putTree(d, "/root", root); err != nil {
		t.Fatal(err)
	}
}

// TestPutLeaves: an id that a document gives up is gone, one that it keeps is what
// the document now says, one that another document has won stays the other's.
func TestPutLeaves(t *testing.T) {
	const one, two = "* One\n:PROPERTIES:\n:ID: one\n:END:\n", "* Two\n:PROPERTIES:\n:ID: two\n:END:\n"
	d := Empty(orgFiles).Edit(1)
	d.Put("b.org", document.File(one+two, false))
	d.Put("a.org", document.File(one, false))
	d.Put("b.org", document.File(two+"more\n", false))
	s, _ := d.Seal()
	want := map[string]string{"one": "a.org", "two": "b.org"}
	for id, path := range want {
		if n, ok := s.Get(id); !ok || n.Path != path {
			t.Errorf("%s is %+v, want a node of %s", id, n, path)
		}
	}
	if s.Len() != 4 {
		t.Errorf("%d nodes, want 4", s.Len())
	}
	d = s.Edit(2)
	d.Drop("a.org")
	s, _ = d.Seal()
	if _, ok := s.Get("one"); ok || s.Len() != 2 {
		t.Errorf("%d nodes after a.org left, want 2", s.Len())
	}
}
