// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/node"
)

// generated is a state of so many files of ten headlines each.
func generated(files int) *State {
	d := Empty(orgFiles).Edit(1)
	for f := range files {
		d.Put(fmt.Sprintf("f%05d.org", f), document.File(foveatest.GenFile(f, 10), false))
	}
	s, _ := d.Seal()
	return s
}

// BenchmarkDecode loads the parts of an image of 11,000 nodes, and verifies
// them to the root.
func BenchmarkDecode(b *testing.B) {
	s := generated(1000)
	parts := s.Encode(1<<20, 64)
	size := 0
	for _, p := range parts {
		size += len(p.Nodes) + len(p.Derived)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		got, _, err := Decode(parts, orgFiles)
		if err != nil || got.Root() != s.Root() {
			b.Fatal(err)
		}
	}
}

// BenchmarkPut ingests a folder of 11,000 nodes from its bytes.
func BenchmarkPut(b *testing.B) {
	texts := make([]string, 1000)
	size := 0
	for f := range texts {
		texts[f] = foveatest.GenFile(f, 10)
		size += len(texts[f])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		d := Empty(orgFiles).Edit(1)
		for f, text := range texts {
			d.Put(fmt.Sprintf("f%05d.org", f), document.File(text, false))
		}
		d.Seal()
	}
}

// BenchmarkDiff compares two states of 110,000 nodes: with 100 changed nodes, each in
// another file, and with 100 changed leaves and the versions of all above them.
func BenchmarkDiff(b *testing.B) {
	s := generated(10000)
	for _, c := range []struct {
		name, before, after string
	}{{"nodes", "# x\n", ""}, {"leaves", "", "x\n"}} {
		b.Run("100 "+c.name, func(b *testing.B) {
			d := s.Edit(2)
			for f := range 100 {
				path := fmt.Sprintf("f%05d.org", f*97)
				nodes := s.Nodes(path)
				d.Put(path, document.File(nodes[0].Content+c.before+node.Join(nodes[1:])+c.after, false))
			}
			next, _ := d.Seal()
			changes := 0
			for b.Loop() {
				delta := Diff(s, next)
				changes = len(delta.Changes)
			}
			b.ReportMetric(float64(changes), "changes")
		})
	}
}

// BenchmarkEdit changes one leaf among 110,000 nodes and takes the new root.
func BenchmarkEdit(b *testing.B) {
	s := generated(10000)
	text := foveatest.GenFile(7, 10)
	i := 0
	for b.Loop() {
		i++
		d := s.Edit(2)
		d.Put("f00007.org", document.File(fmt.Sprintf("%s%d\n", text, i), false))
		s, _ = d.Seal()
	}
}
