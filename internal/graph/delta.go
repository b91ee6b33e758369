// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Change is what happened to one id. Old is nil for a node that came, New for
// one that left.
type Change struct {
	ID       string
	Old, New *node.Node
}

// Delta is the difference of two states.
type Delta struct {
	Changes []Change     // sorted by id
	Lineage []node.Edge  // ids that were renamed, sorted
	Reread  []*node.Node // nodes of equal bytes that the parser now reads otherwise
	Paths   []string     // documents that changed, came or went, sorted
}

// Empty reports whether nothing of record changed.
func (d *Delta) Empty() bool { return len(d.Changes) == 0 }

// delta compares the nodes of the touched documents before and now.
func (d *Draft) delta() Delta {
	var out Delta
	old, now := map[string]*node.Node{}, map[string]*node.Node{}
	paths := slices.Sorted(maps.Keys(d.before))
	var removed, added []*node.Node
	for _, p := range paths {
		for _, n := range d.before[p] {
			old[n.ID] = n
		}
		for _, n := range d.after[p] {
			now[n.ID] = n
		}
	}
	for _, p := range paths {
		touched := false
		for _, n := range d.before[p] {
			if now[n.ID] == nil {
				out.Changes = append(out.Changes, Change{ID: n.ID, Old: n})
				removed = append(removed, n)
				touched = true
			}
		}
		for _, n := range d.after[p] {
			o := old[n.ID]
			switch {
			case o == n:
				continue
			case o == nil:
				added = append(added, n)
			case o.Entry.Equal(&n.Entry):
				if o.Type == typeGone || !o.Derived.Equal(n.Derived) {
					out.Reread = append(out.Reread, n)
				}
				continue
			}
			out.Changes = append(out.Changes, Change{n.ID, o, n})
			touched = true
		}
		if touched {
			out.Paths = append(out.Paths, p)
		}
	}
	slices.SortFunc(out.Changes, func(a, b Change) int { return cmp.Compare(a.ID, b.ID) })
	out.Lineage = node.Lineage(removed, added)
	return out
}

// Diff returns what changed from one state to another, in O(changes and the
// nodes of the documents they are in): equal parts of the two Merkle maps are
// skipped by digest.
func Diff(from, to *State) Delta {
	var out Delta
	var removed, added []*node.Node
	seen := map[string]bool{}
	same := func(a, b *node.Node) bool { return a == b || a.Entry.Equal(&b.Entry) }
	for c := range merkle.Diff(from.tree, to.tree, same) {
		switch {
		case c.Old == nil:
			added = append(added, c.New)
		case c.New == nil:
			removed = append(removed, c.Old)
		}
		id := cmp.Or(idOf(c.Old), idOf(c.New))
		seen[id] = true
		out.Changes = append(out.Changes, Change{id, c.Old, c.New})
	}
	out.Changes = append(out.Changes, renamedKids(from, to, out.Changes, seen)...)
	byPlace := func(s *State) func(a, b *node.Node) int {
		rank := placeRanks(s, removed, added)
		return func(a, b *node.Node) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(rank[a], rank[b])) }
	}
	slices.SortFunc(removed, byPlace(from))
	slices.SortFunc(added, byPlace(to))
	slices.SortFunc(out.Changes, func(a, b Change) int { return strings.Compare(a.ID, b.ID) })
	out.Lineage = node.Lineage(removed, added)
	out.Paths = pathsOf(out.Changes)
	out.Reread = reread(from, to, out.Paths)
	return out
}

// reread lists the nodes of equal bytes that are read otherwise since their
// document changed, or a setup file: a line of keywords elsewhere does that.
func reread(from, to *State, paths []string) []*node.Node {
	var out []*node.Node
	all := slices.Concat(paths, to.dependents(slices.Values(paths)))
	slices.Sort(all)
	for _, p := range slices.Compact(all) {
		for _, n := range to.Nodes(p) {
			if o, ok := from.Get(n.ID); ok && o != n && o.Entry.Equal(&n.Entry) && !o.Derived.Equal(n.Derived) {
				out = append(out, n)
			}
		}
	}
	return out
}

// renamedKids finds parents that a Merkle map calls equal though their
// children go by other ids: a version names the children's versions, not ids.
func renamedKids(from, to *State, changes []Change, seen map[string]bool) []Change {
	var out []Change
	for _, c := range changes {
		for _, n := range []*node.Node{c.Old, c.New} {
			if n == nil || n.Parent == "" || seen[n.Parent] {
				continue
			}
			seen[n.Parent] = true
			a, _ := from.Get(n.Parent)
			b, _ := to.Get(n.Parent)
			if a != nil && b != nil && !a.Entry.Equal(&b.Entry) {
				out = append(out, Change{n.Parent, a, b})
			}
		}
	}
	return out
}

func pathsOf(changes []Change) []string {
	paths := map[string]bool{}
	for _, c := range changes {
		for _, n := range []*node.Node{c.Old, c.New} {
			if n != nil {
				paths[n.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// placeRanks numbers nodes in document order within the documents they are in.
func placeRanks(s *State, sets ...[]*node.Node) map[*node.Node]int {
	want := map[string]bool{}
	for _, set := range sets {
		for _, n := range set {
			want[n.Path] = true
		}
	}
	rank := map[*node.Node]int{}
	for p := range want {
		for i, n := range s.Nodes(p) {
			rank[n] = i
		}
	}
	return rank
}

func idOf(n *node.Node) string {
	if n == nil {
		return ""
	}
	return n.ID
}

func countLines(s string) int { return strings.Count(s, "\n") }
