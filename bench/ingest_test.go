// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// leaves is how many changed leaves are timed together: one is too short for the
// clock of processor time.
func leaves() int { return foveatest.Size(1000, 20) }

// BenchmarkSeedIngest compares taking in 10,000 nodes that are parsed already with
// the seed's own code by turns: the same forest of the same words, whole and into an
// empty state, again with nothing changed, and with one leaf changed. The seed knows
// no way to change a leaf but to take in its root's tree again. Neither side keeps
// anything on disk: that is BenchmarkMemoryIngest.
func BenchmarkSeedIngest(b *testing.B) {
	seed := newSeed(b)
	forest := newForest(seedHeadlines())
	seed.run(b) // compiles the libraries the first time
	for b.Loop() {
		var theirs []seedFigures
		var whole, again, leaf []cost
		for range rounds() {
			theirs = append(theirs, seed.run(b))
			var s *graph.State
			whole = append(whole, spend(b, func() (err error) { s, err = forest.ingest(graph.Empty(document.Formats{org.Format{}})); return err }))
			if s.Len() != seedHeadlines() {
				b.Fatalf("%d nodes are not %d", s.Len(), seedHeadlines())
			}
			again = append(again, spend(b, func() error { _, err := forest.ingest(s); return err }))
			leaf = append(leaf, spend(b, func() error { return forest.leaves(s) }))
		}
		ours := func(costs []cost, per float64) float64 { return middle(costs, cost.processorMS) / per }
		their := func(f func(seedFigures) float64) float64 { return middle(theirs, f) }
		for _, r := range []struct {
			name        string
			ours, their float64
		}{
			{"ingest", ours(whole, 1), their(func(f seedFigures) float64 { return f.ingestMS })},
			{"again", ours(again, 1), their(func(f seedFigures) float64 { return f.againMS })},
			{"leaf", ours(leaf, float64(leaves())), their(func(f seedFigures) float64 { return f.leafMS })},
		} {
			b.ReportMetric(r.ours, r.name+"-cpu-ms")
			b.ReportMetric(r.their, "seed-"+r.name+"-cpu-ms")
			b.ReportMetric(r.their/r.ours, "seed/"+r.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMemoryIngest takes the same forest into a memory, each root's tree a
// durable commit with its words indexed, and then one changed leaf by its own
// commit.
func BenchmarkMemoryIngest(b *testing.B) {
	forest := newForest(seedHeadlines())
	for b.Loop() {
		var whole, leaf []cost
		for range rounds() {
			m, err := fovea.Open(b.Context(), b.TempDir(), &fovea.Options{StateDir: b.TempDir()})
			must(b, err)
			whole = append(whole, spend(b, func() error { return forest.into(b, m) }))
			leaf = append(leaf, spend(b, func() error { return forest.leavesInto(b, m) }))
			must(b, m.Close())
		}
		b.ReportMetric(middle(whole, cost.processorMS), "ingest-cpu-ms")
		b.ReportMetric(middle(leaf, cost.processorMS)/float64(leaves()), "leaf-cpu-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// TestForest: a comparison is worth nothing when one side is given less.
func TestForest(t *testing.T) {
	f := newForest(100)
	s, err := f.ingest(graph.Empty(document.Formats{org.Format{}}))
	must(t, err)
	if s.Len() != 100 || len(f.trees) != 10 {
		t.Errorf("%d nodes in %d trees, want 100 in 10", s.Len(), len(f.trees))
	}
	n, ok := s.Get("node-0000099")
	if !ok || len(n.Content) < 500 || len(n.Attrs) < 5 || n.Parent != "node-0000008" {
		t.Errorf("node 99 is %+v", n)
	}
	again, err := f.ingest(s)
	must(t, err)
	if again.Root() != s.Root() {
		t.Error("the same forest again is another")
	}
}

// forest is the seed's material as trees: ten roots, ten children to a node.
type forest struct{ trees []*ast.Tree }

// newForest makes trees of the headlines of foveatest.GenTree.
func newForest(headlines int) *forest {
	draft := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	draft.Put("tree.org", document.File(foveatest.GenTree(headlines), false))
	s, _ := draft.Seal()
	at := map[string]*ast.Tree{}
	f := &forest{}
	for _, n := range s.Nodes("tree.org")[1:] {
		t := treeOf(n)
		if at[n.ID] = t; at[n.Parent] != nil {
			at[n.Parent].Kids = append(at[n.Parent].Kids, t)
		} else {
			f.trees = append(f.trees, t)
		}
	}
	return f
}

// treeOf says of a headline what the seed's driver does.
func treeOf(n *node.Node) *ast.Tree {
	attrs := []document.Attr{{Key: "TITLE", Value: document.TextValue(n.Derived.Title)}}
	if n.Derived.Todo != "" {
		attrs = append(attrs, document.Attr{Key: "TODO-STATE", Value: document.TextValue(n.Derived.Todo)})
	}
	if tags := n.Derived.Tags; len(tags) > 0 {
		var list []document.Value
		for _, tag := range tags {
			list = append(list, document.TextValue(tag))
		}
		attrs = append(attrs, document.Attr{Key: "TAGS", Value: document.ListValue(list...)})
	}
	for _, p := range n.Derived.Properties {
		attrs = append(attrs, document.Attr{Key: p.Key, Value: document.TextValue(p.Value)})
	}
	return &ast.Tree{Type: "headline", Attrs: document.Attributes(attrs...), Content: n.Body()}
}

// ingest takes each root's tree in, as the seed does.
func (f *forest) ingest(s *graph.State) (*graph.State, error) {
	d := s.Edit(1)
	for _, t := range f.trees {
		path := document.MemoryPath(t.ID())
		parts, err := t.Parts(path)
		if err != nil {
			return nil, err
		}
		d.Put(path, parts...)
	}
	next, _ := d.Seal()
	return next, nil
}

// leaf returns a leaf with another text: each time another leaf.
func (f *forest) leaf(i int) *ast.Tree {
	t := f.trees[i%len(f.trees)]
	for len(t.Kids) > 0 {
		t = t.Kids[i%len(t.Kids)]
	}
	changed := *t
	changed.Content = fmt.Sprintf("edited %d", i)
	return &changed
}

// leaves makes a new state and root of each changed leaf, one after the other.
func (f *forest) leaves(s *graph.State) error {
	for i := range leaves() {
		d := s.Edit(1)
		leaf := f.leaf(i)
		if err := d.PutBranch(leaf.ID(), leaf); err != nil {
			return err
		}
		next, _ := d.Seal()
		if next.Root() == s.Root() {
			return fmt.Errorf("leaf %d changed nothing", i)
		}
		s = next
	}
	return nil
}

func (f *forest) into(tb testing.TB, m *fovea.Memory) error {
	for _, t := range f.trees {
		if _, _, _, err := m.IngestTree(tb.Context(), t, "", nil); err != nil {
			return err
		}
	}
	if _, err := m.View().Search("gauge", 1, nil, time.Time{}); err != nil {
		return err
	}
	return nil
}

func (f *forest) leavesInto(tb testing.TB, m *fovea.Memory) error {
	for i := range leaves() {
		if _, _, _, err := m.IngestTree(tb.Context(), f.leaf(i), "", nil); err != nil {
			return err
		}
	}
	return nil
}
