// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// put sets a document of the model: text that begins as JSON is a tree.
func put(d *Draft, path, text string) {
	if !strings.HasPrefix(text, "{") {
		d.Put(path, document.File(text, !document.IsOrgPath(path)))
		return
	}
	t, err := ast.DecodeTree([]byte(text))
	if err == nil {
		err = putTree(d, path, t)
	}
	if err != nil {
		panic(err) // a fault of the test
	}
}

// putTree puts a tree as a document.
func putTree(d *Draft, path string, t *ast.Tree) error {
	parts, err := t.Parts(path)
	if err == nil {
		d.Put(path, parts...)
	}
	return err
}

// change makes one change to the draft and to the model.
func change(t *rapid.T, d *Draft, f folder, names []string) {
	p := rapid.SampledFrom(append(sorted(f), names...)).Draw(t, "path")
	_, known := f[p]
	nodes := d.current(p)
	isTree := nodes != nil && nodes[0].IsTree()
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0, 1:
		if known {
			d.Drop(p)
			delete(f, p)
		}
	case 2, 3, 4:
		tree := drawTree(t, 3)
		p = pathFor(t, tree)
		if f[p] = string(tree.JSON()); putTree(d, p, tree) != nil {
			t.Fatal("a drawn tree is refused")
		}
	case 5, 6, 7:
		if isTree {
			changeBranch(t, d, f, p)
		}
	default:
		if !document.IsMemory(p) {
			if !known || isTree || rapid.Bool().Draw(t, "anew") {
				f[p] = ""
			}
			other := rapid.SampledFrom(names).Draw(t, "other")
			if d.current(other) != nil && !d.current(other)[0].IsTree() && rapid.IntRange(0, 2).Draw(t, "copied") == 0 {
				f[p] = f[other]
			}
			f[p] += drawFile(t)
			d.Put(p, document.File(f[p], !document.IsOrgPath(p)))
		}
	}
}

// changeBranch puts another branch in the place of one.
func changeBranch(t *rapid.T, d *Draft, f folder, path string) {
	nodes := d.current(path)
	n := rapid.SampledFrom(nodes).Draw(t, "branch")
	whole := node.TreeOf(nodes)
	part := drawTree(t, 2)
	if rapid.Bool().Draw(t, "alike") {
		alike := *whole.Find(n.ID)
		alike.Content, alike.Bare, alike.Kids = part.Content, part.Bare, part.Kids
		part = &alike
	}
	want, _ := whole.With(n.ID, func(*ast.Tree) *ast.Tree { return part })
	err := d.PutBranch(n.ID, part)
	_, whyNot := want.Parts(path)
	if (err == nil) != (whyNot == nil) {
		t.Fatalf("branch: %v; whole tree: %v", err, whyNot)
	}
	if err == nil {
		f[path] = string(want.JSON())
	}
}

// pathFor draws where a tree goes: a document of its own, or over a file that its
// root then names.
func pathFor(t *rapid.T, tree *ast.Tree) string {
	if len(tree.Attrs) > 0 && rapid.IntRange(0, 3).Draw(t, "overlay") == 0 {
		return rapid.SampledFrom(paths).Draw(t, "path")
	}
	p, err := node.TreePath("memex", tree)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// drawTree makes a small tree that collides with files and other trees.
func drawTree(t *rapid.T, depth int) *ast.Tree {
	ids := []string{"one", "two", "three", "file", "four", "five"}
	return drawPart(t, depth, &ids)
}

func drawPart(t *rapid.T, depth int, ids *[]string) *ast.Tree {
	part := &ast.Tree{Type: rapid.SampledFrom([]string{"headline", "document", "paragraph"}).Draw(t, "type")}
	var attrs []document.Attr
	if i := rapid.IntRange(0, 8).Draw(t, "id"); i < len(*ids) {
		attrs = append(attrs, document.Attr{Key: "id", Value: document.TextValue((*ids)[i])})
		*ids = slices.Delete(slices.Clone(*ids), i, i+1)
	}
	for _, a := range []document.Attr{
		{Key: "TITLE", Value: document.TextValue("A")}, {Key: "TITLE", Value: document.TextValue("x")}, {Key: "CUSTOM_ID", Value: document.TextValue("c")},
		{Key: "TAGS", Value: document.ListValue(document.TextValue("crypt"))}, {Key: "N", Value: document.IntValue(1)}, {Key: "NO"},
	} {
		if rapid.IntRange(0, 4).Draw(t, a.Key) == 0 {
			attrs = append(attrs, a)
		}
	}
	part.Attrs = document.Attributes(attrs...)
	part.Content = rapid.SampledFrom([]string{"", "text", "[[id:one]]", "* A\n"}).Draw(t, "content")
	part.Bare = part.Content == "" && rapid.Bool().Draw(t, "bare")
	if depth > 0 {
		for range rapid.IntRange(0, 3).Draw(t, "kids") {
			part.Kids = append(part.Kids, drawPart(t, depth-1, ids))
		}
	}
	return part
}

func TestPutTreeRefuses(t *testing.T) {
	twice := &ast.Tree{Type: "a", Kids: []*ast.Tree{
		{Type: "b", Attrs: []document.Attr{{Key: "ID", Value: document.TextValue("x")}}},
		{Type: "b", Attrs: []document.Attr{{Key: "ID", Value: document.TextValue("y")}}},
	}}
	d := Empty(orgFiles).Edit(1)
	d.Put("a.org", document.File("* A\n:PROPERTIES:\n:ID: file\n:END:\n", false))
	if err := putTree(d, "/~t", twice); err != nil {
		t.Fatal(err)
	}
	base, _ := d.Seal()
	d = base.Edit(2)
	for _, tc := range []struct {
		name string
		err  error
	}{
		{"an id that stands beside", d.PutBranch("y", twice.Kids[0])},
		{"no such node", d.PutBranch("nobody", twice)},
		{"a node of a file", d.PutBranch("file", twice)},
		{"no type", d.PutBranch("y", &ast.Tree{})},
		{"nothing", putTree(d, "/~t", nil)},
	} {
		if !errors.Is(tc.err, document.ErrTree) {
			t.Errorf("%s: %v, want node.ErrTree", tc.name, tc.err)
		}
	}
	if next, delta := d.Seal(); !delta.Empty() || next.Root() != base.Root() {
		t.Errorf("what was refused changed %d nodes", len(delta.Changes))
	}
}

// TestPutBranchShares proves that a changed leaf touches its ancestors alone.
func TestPutBranchShares(t *testing.T) {
	d := Empty(orgFiles).Edit(1)
	if err := putTree(d, "/root", foliage(1000)); err != nil {
		t.Fatal(err)
	}
	s, _ := d.Seal()
	leaf := s.Nodes("/root")[900]
	d = s.Edit(2)
	if err := d.PutBranch(leaf.ID, &ast.Tree{Type: leaf.Type, Attrs: leaf.Attrs, Content: "changed"}); err != nil {
		t.Fatal(err)
	}
	next, delta := d.Seal()
	if got, want := len(delta.Changes), len(s.Ancestors(leaf))+1; got != want {
		t.Errorf("%d nodes changed, want %d", got, want)
	}
	shared := 0
	for n := range next.All() {
		if o, ok := s.Get(n.ID); ok && o == n {
			shared++
		}
	}
	if shared != s.Len()-len(delta.Changes) {
		t.Errorf("%d nodes shared, want %d", shared, s.Len()-len(delta.Changes))
	}
}

// TestApplyForgedTree: a delta whose nodes are each other's parents ends, as a
// wrong root.
func TestApplyForgedTree(t *testing.T) {
	d := Empty(orgFiles).Edit(1)
	if err := putTree(d, "/root", foliage(3)); err != nil {
		t.Fatal(err)
	}
	s, _ := d.Seal()
	store := blocks{}
	n := &node.Node{Type: "a", Content: "x"}
	own, err := n.OwnBlock(store.emit)
	if err != nil {
		t.Fatal(err)
	}
	entry := func(kin string) *node.Entry {
		return &node.Entry{Own: own, Version: own, Parent: kin, Path: "/root", Kids: []string{kin}}
	}
	c := &Commit{Seq: 2, State: s.Root(), Delta: []Record{{ID: "x", New: entry("y")}, {ID: "y", New: entry("x")}}}
	if _, err := s.Apply(c, store.get); !errors.Is(err, ErrRoot) {
		t.Errorf("%v, want ErrRoot", err)
	}
}
