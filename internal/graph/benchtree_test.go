// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
)

// foliage is a tree of so many nodes, ten children to a node, with six attributes
// and a body of 500 bytes each.
func foliage(size int) *ast.Tree {
	all := make([]*ast.Tree, size)
	for i := range all {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012d", i*2654435761%(1<<32), i)
		if i == 0 {
			id = "root"
		}
		all[i] = &ast.Tree{Type: "headline", Content: fmt.Sprintf("%06d ", i) + strings.Repeat("some words of text ", 26), Attrs: document.Attributes(
			document.Attr{Key: "ID", Value: document.TextValue(id)},
			document.Attr{Key: "TITLE", Value: document.TextValue(fmt.Sprintf("The title of node %d", i))},
			document.Attr{Key: "TAGS", Value: document.ListValue(document.TextValue("one"), document.TextValue("two"))},
			document.Attr{Key: "TODO", Value: document.TextValue("NEXT")},
			document.Attr{Key: "EFFORT", Value: document.IntValue(int64(i))},
			document.Attr{Key: "OWNER", Value: document.TextValue("somebody")},
		)}
		if i > 0 {
			up := all[(i-1)/10]
			up.Kids = append(up.Kids, all[i])
		}
	}
	return all[0]
}

// BenchmarkPutTree puts a tree of 10,000 nodes into an empty state.
func BenchmarkPutTree(b *testing.B) {
	t := foliage(10_000)
	for b.Loop() {
		d := Empty(orgFiles).Edit(1)
		if err := putTree(d, "/root", t); err != nil {
			b.Fatal(err)
		}
		d.Seal()
	}
}

// BenchmarkPutBranch puts one changed leaf into trees of 10,000 and of 100,000 nodes,
// four and five levels deep, and takes the new root.
func BenchmarkPutBranch(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := Empty(orgFiles).Edit(1)
			if err := putTree(d, "/root", foliage(size)); err != nil {
				b.Fatal(err)
			}
			s, _ := d.Seal()
			leaf := s.Nodes("/root")[size-10]
			if levels := len(s.Ancestors(leaf)) + 1; levels != len(fmt.Sprint(size))-1 {
				b.Fatalf("the leaf is on level %d", levels)
			}
			for i := 0; b.Loop(); i++ {
				d := s.Edit(2)
				if err := d.PutBranch(leaf.ID, &ast.Tree{Type: leaf.Type, Attrs: leaf.Attrs, Content: fmt.Sprint(i)}); err != nil {
					b.Fatal(err)
				}
				next, _ := d.Seal()
				next.Root()
			}
		})
	}
}

// BenchmarkApplyBranch applies the commit of one changed leaf, as opening a memory
// does with the end of its journal.
func BenchmarkApplyBranch(b *testing.B) {
	d := Empty(orgFiles).Edit(1)
	if err := putTree(d, "/root", foliage(10_000)); err != nil {
		b.Fatal(err)
	}
	s, _ := d.Seal()
	leaf := s.Nodes("/root")[9_990]
	d = s.Edit(2)
	if err := d.PutBranch(leaf.ID, &ast.Tree{Type: leaf.Type, Attrs: leaf.Attrs, Content: "changed"}); err != nil {
		b.Fatal(err)
	}
	next, delta := d.Seal()
	store := blocks{}
	for _, c := range delta.Changes {
		if _, err := c.New.OwnBlock(store.emit); err != nil {
			b.Fatal(err)
		}
	}
	c := &Commit{Seq: 2, State: next.Root(), Delta: delta.Records()}
	for b.Loop() {
		if _, err := s.Apply(c, store.get); err != nil {
			b.Fatal(err)
		}
	}
}
