// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
)

// forest is a Source with documents that can be replaced and dropped.
type forest struct {
	root     string
	docs     []string
	items    map[string]Item
	children map[string][]string
	parents  map[string]string
}

func (f *forest) Root() merkle.Digest         { return merkle.Sum([]byte(f.root)) }
func (f *forest) Documents() []string         { return f.docs }
func (f *forest) Children(id string) []string { return f.children[id] }
func (f *forest) Parent(id string) string     { return f.parents[id] }
func (f *forest) Item(id string) (Item, bool) { item, ok := f.items[id]; return item, ok }

func (f *forest) Document(id string) (doc, path string) {
	if _, ok := f.items[id]; !ok {
		return "", ""
	}
	for f.parents[id] != "" {
		id = f.parents[id]
	}
	return id, f.items[id].Path
}

// replace redraws document d.
func (f *forest) replace(t *rapid.T, d int) {
	doc, path := fmt.Sprintf("d%02d", d), fmt.Sprintf("D%02d.org", d)
	f.drop(doc)
	f.docs = append(f.docs, doc)
	slices.Sort(f.docs)
	for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
		id, parent := fmt.Sprintf("%s-%d", doc, i), ""
		if i == 0 {
			id = doc
		} else if parent = doc; i > 1 {
			parent = rapid.SampledFrom([]string{doc, fmt.Sprintf("%s-%d", doc, i-1)}).Draw(t, "parent")
		}
		item := Item{ID: id, Title: fmt.Sprint("Title ", rapid.IntRange(0, 3).Draw(t, "title")), Path: path, Level: min(i, 1)}
		item.Hidden, item.Project = rapid.IntRange(0, 9).Draw(t, "hidden") == 0, rapid.IntRange(0, 9).Draw(t, "project") == 0
		item.Todo = rapid.SampledFrom([]string{"", "", "TODO", "DONE"}).Draw(t, "keyword")
		item.Done = item.Todo == "DONE"
		item.Agent = rapid.SampledFrom([]string{"", "", "", "ada"}).Draw(t, "agent")
		for range rapid.IntRange(0, 2).Draw(t, "links") {
			item.Links = append(item.Links, rapid.SampledFrom([]string{
				"id:d01", "id:d01-1", "id:d02-2", "file:d01.org", "file:D01.org::*Title 1", "*title  2", "file:D03.org::title 0", "nowhere",
			}).Draw(t, "target"))
		}
		f.items[id], f.parents[id] = item, parent
		if parent != "" {
			f.children[parent] = append(f.children[parent], id)
		}
	}
}

// drop removes a document.
func (f *forest) drop(doc string) {
	f.docs = slices.DeleteFunc(f.docs, func(d string) bool { return d == doc })
	for id := range f.items {
		if of, _ := f.Document(id); of == doc && id != doc {
			defer delete(f.parents, id)
			delete(f.items, id)
			delete(f.children, id)
		}
	}
	delete(f.items, doc)
	delete(f.children, doc)
}

func drawForest(t *rapid.T) *forest {
	f := &forest{root: "0", items: map[string]Item{}, children: map[string][]string{}, parents: map[string]string{}}
	for d := range rapid.IntRange(1, 12).Draw(t, "documents") {
		f.replace(t, d)
	}
	return f
}

// rankAll is a reference for rank: it scores every node by the definition of each arm.
func rankAll(t *tree, f *forest, similar map[string]float64, projects []ref, limit int) []ranked {
	similarity := func(id string) float64 { return min(max(similar[id], 0), 1) }
	var nodes []ranked
	for i := range t.Outline.all() {
		b := t.node(i)
		if b.has(hidden) || i == t.focus {
			continue
		}
		neighbour := similarity(f.parents[b.id])
		for _, child := range f.children[b.id] {
			neighbour = max(neighbour, similarity(child))
		}
		score := weightSimilar*similarity(b.id) + weightNeighbour*neighbour + weightOutline/float64(1+b.depth)
		if t.focused() {
			score += weightDistance / float64(max(1, distanceByPath(f, b.id, t.node(t.focus).id)))
			if t.parent(i) == t.focus {
				score += weightChild
			}
			if t.hasMark(i, linksTo|linkedFrom) {
				score += weightLink
			}
		}
		if slices.Contains(projects, i) {
			score += 2 * weightOutline
		}
		nodes = append(nodes, ranked{i, score * prior(b)})
	}
	slices.SortFunc(nodes, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.score, a.score), a.compare(b.ref)) })
	return nodes[:min(limit, len(nodes))]
}

// distanceByPath counts the edges between two nodes, with documents as children of one
// root.
func distanceByPath(f *forest, a, b string) int {
	ancestors := func(id string) (path []string) {
		for ; id != ""; id = f.parents[id] {
			path = append(path, id)
		}
		return path
	}
	for i, id := range ancestors(a) {
		if j := slices.Index(ancestors(b), id); j >= 0 {
			return i + j
		}
	}
	return len(ancestors(a)) + len(ancestors(b))
}

// TestRankIsThatOfAllNodes: the pruned ranking returns the same nodes and bit-identical
// scores as ranking all nodes, with and without a focus, also on reused scratch memory.
func TestRankIsThatOfAllNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawForest(t)
		ids := slices.Sorted(func(yield func(string) bool) {
			for id := range f.items {
				if !yield(id) {
					return
				}
			}
		})
		for range 3 {
			req := &Request{Focus: rapid.SampledFrom(append([]string{""}, ids...)).Draw(t, "focus")}
			tr, err := newTree(t.Context(), f, req)
			if err != nil {
				t.Fatal(err)
			}
			similar, hits := map[string]float64{}, []Scored{}
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, min(10, len(ids)), rapid.ID).Draw(t, "hits") {
				similar[id] = rapid.SampledFrom([]float64{-1, 0, 0.25, 0.5, 1, 2}).Draw(t, "score")
				hits = append(hits, Scored{ID: id, Score: similar[id]})
			}
			tr.addSimilarities(hits)
			projects := requestedProjects(tr, tr.Projects())
			limit := rapid.IntRange(0, 20).Draw(t, "limit")
			got := slices.Clone(tr.rank(limit))
			want := rankAll(tr, f, similar, projects, limit)
			if len(got) != len(want) || !slices.Equal(got, want) {
				t.Fatalf("focus %q, similar %v: got %v, want %v", req.Focus, similar, got, want)
			}
			tr.release()
		}
	})
}

// TestNextOutline: an incrementally updated outline equals a fresh one and yields the
// same windows.
func TestNextOutline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawForest(t)
		o, err := NewOutline(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 4 {
			f.root = fmt.Sprint(step)
			changed := map[string]DocumentChange{}
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				d := rapid.IntRange(0, 14).Draw(t, "document")
				r := DocumentChange{Path: fmt.Sprintf("D%02d.org", d), ID: fmt.Sprintf("d%02d", d)}
				if rapid.Bool().Draw(t, "goes") {
					f.drop(r.ID)
					r.ID = ""
				} else {
					f.replace(t, d)
				}
				changed[r.Path] = r
			}
			var docs []DocumentChange
			for _, r := range changed {
				docs = append(docs, r)
			}
			unchanged := fmt.Sprint(summarize(o))
			next := o.WithChanges(f, docs)
			if fmt.Sprint(summarize(o)) != unchanged {
				t.Fatal("an outline changed")
			}
			fresh, err := NewOutline(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(summarize(fresh), summarize(next), gocmp.AllowUnexported(summary{}, nodeInfo{}, ref{})); diff != "" {
				t.Fatalf("(-fresh +next):\n%s", diff)
			}
			seen := &tree{Outline: next, src: f}
			for d := range 15 {
				for n := range 8 {
					id := fmt.Sprintf("d%02d-%d", d, n)
					_, has := f.items[id]
					i, ok := seen.find(id)
					if ok != has || ok && next.node(i).id != id {
						t.Fatalf("%q is sought and not found", id)
					}
				}
			}
			for range 2 {
				req := Request{Budget: 300, Counter: token.Estimate(), Projects: next.Projects()}
				req.Format = rapid.SampledFrom([]string{FormatOrg, FormatMarkdown}).Draw(t, "format")
				want, err := Build(t.Context(), f, nil, req)
				if err != nil {
					t.Fatal(err)
				}
				req.Outline = next
				got, err := Build(t.Context(), f, nil, req)
				if diff := gocmp.Diff(want, got); err != nil || diff != "" {
					t.Fatalf("%v, a window of a fresh outline and of the next (-fresh +next):\n%s", err, diff)
				}
			}
			o = next
		}
	})
}

// summary is the observable content of an outline.
type summary struct {
	Root     merkle.Digest
	Nodes    []nodeInfo
	Parents  []ref
	Numbers  []int32
	Links    []string
	Projects []string
	Visible  int
}

// all yields every node.
func (o *Outline) all() iter.Seq[ref] {
	return func(yield func(ref) bool) {
		for at, b := range o.blocks {
			for i := range b.nodes {
				if !yield(ref{int32(at), int32(i)}) {
					return
				}
			}
		}
	}
}

func summarize(o *Outline) summary {
	s := summary{Root: o.root, Projects: o.Projects(), Visible: o.visible}
	for r := range o.all() {
		s.Nodes = append(s.Nodes, *o.node(r))
		s.Parents = append(s.Parents, o.parent(r))
		s.Numbers = append(s.Numbers, o.number(r))
	}
	for _, b := range o.blocks {
		for _, l := range b.links {
			s.Links = append(s.Links, fmt.Sprint(b.path, l))
		}
	}
	return s
}

// TestDeepDocument: a document of 5,000 nested nodes works like any other.
func TestDeepDocument(t *testing.T) {
	f := &forest{items: map[string]Item{}, children: map[string][]string{}, parents: map[string]string{}, docs: []string{"n0"}}
	const depth = 5000
	for i := range depth {
		id := fmt.Sprint("n", i)
		f.items[id] = Item{ID: id, Title: id}
		if i > 0 {
			up := fmt.Sprint("n", i-1)
			f.parents[id], f.children[up] = up, []string{id}
		}
	}
	tr, err := newTree(t.Context(), f, &Request{Focus: "n4999"})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.release()
	if r, ok := tr.find("n4242"); !ok || r != (ref{0, 4242}) || tr.distance(r) != depth-1-4242 {
		t.Errorf("node %v, %v, apart %d", r, ok, tr.distance(r))
	}
}
