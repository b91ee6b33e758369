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

// Change is a change of one node. Old is nil for an added node, New for a removed one.
type Change struct {
	ID       string
	Old, New *node.Node
}

// Delta is the difference of two states.
type Delta struct {
	Changes []Change     // sorted by id
	Lineage []node.Edge  // ids that were renamed, sorted
	Reread  []*node.Node // nodes with equal bytes and other derived fields
	Paths   []string     // changed, added and removed documents, and new or former conflict copies, sorted
}

// Empty reports whether no node changed.
func (d *Delta) Empty() bool { return len(d.Changes) == 0 }

// delta compares the nodes of the touched ids before and now.
func (d *Draft) delta() Delta {
	slices.Sort(d.touched)
	d.touched = slices.Compact(d.touched)
	c := comparison{delta: Delta{Changes: make([]Change, 0, len(d.touched))}}
	for _, id := range d.touched {
		old, _ := d.base.Get(id)
		now, _ := d.nodes.Get(id)
		c.add(old, now)
	}
	c.finish(d.base.Nodes, d.current, d.copied.Moved(*d.base.copies()))
	return c.delta
}

// comparison collects the differences between nodes.
type comparison struct {
	delta          Delta
	removed, added []*node.Node
}

// add compares two versions of a node: o is nil for an added node, n for a removed one.
func (c *comparison) add(o, n *node.Node) {
	switch {
	case o == n:
		return
	case n == nil:
		c.removed = append(c.removed, o)
	case o == nil:
		c.added = append(c.added, n)
	case o.Entry.Equal(&n.Entry):
		if o.Type == typeGone || !o.Derived.Equal(n.Derived) {
			c.delta.Reread = append(c.delta.Reread, n)
		}
		return
	}
	c.delta.Changes = append(c.delta.Changes, Change{cmp.Or(o, n).ID, o, n})
}

// finish completes the delta: was and now return the nodes of a document on the two sides,
// moved are documents that became or ceased to be conflict copies.
func (c *comparison) finish(was, now func(path string) []*node.Node, moved []string) {
	if len(c.removed) > 0 && len(c.added) > 0 {
		inOrder(c.removed, was)
		inOrder(c.added, now)
	}
	c.delta.Lineage = node.Lineage(c.removed, c.added)
	c.delta.Paths = pathsOf(c.delta.Changes, moved...)
}

// inOrder sorts nodes by path and then in document order; nodes returns those of a
// document.
func inOrder(set []*node.Node, nodes func(path string) []*node.Node) {
	rank, seen := map[*node.Node]int{}, map[string]bool{}
	for _, n := range set {
		if seen[n.Path] {
			continue
		}
		seen[n.Path] = true
		for i, m := range nodes(n.Path) {
			rank[m] = i
		}
	}
	slices.SortFunc(set, func(a, b *node.Node) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(rank[a], rank[b])) })
}

// Diff returns what changed from one state to another, in O(changes and nodes of their documents): equal parts
// of the two Merkle maps are skipped by digest.
func Diff(from, to *State) Delta {
	var c comparison
	same := func(a, b *node.Node) bool { return a == b || a.Entry.Equal(&b.Entry) }
	for d := range merkle.Diff(from.tree, to.tree, same) {
		c.add(d.Old, d.New)
	}
	c.renamedKids(from, to)
	slices.SortFunc(c.delta.Changes, func(a, b Change) int { return strings.Compare(a.ID, b.ID) })
	c.finish(from.Nodes, to.Nodes, to.copies().Moved(*from.copies()))
	back := returned(from, to)
	c.delta.Reread = append(reread(from, to, c.delta.Paths, back), deeper(from, to, c.delta.Changes)...)
	return c.delta
}

// returned returns the documents with nodes whose content is gone in from and kept in to, by
// equal digests.
func returned(from, to *State) map[string]bool {
	paths := map[string]bool{}
	for _, o := range from.Gone() {
		if n, ok := to.Get(o.ID); ok && !IsGone(n) && o.Entry.Equal(&n.Entry) {
			paths[n.Path] = true
		}
	}
	return paths
}

// reread returns the nodes of files with equal bytes and other derived fields: a line of keywords elsewhere in
// the document, or in a setup file, changes them. In the documents of back, also trees, it returns nodes whose
// content is kept again.
func reread(from, to *State, paths []string, back map[string]bool) []*node.Node {
	var out []*node.Node
	all := slices.AppendSeq(slices.Clone(paths), maps.Keys(back))
	all = append(all, to.dependents(slices.Values(all))...)
	slices.Sort(all)
	for _, p := range slices.Compact(all) {
		d, ok := to.documents.Get(p)
		if !ok || d.tree && !back[p] {
			continue // see deeper
		}
		was := from.Nodes(p)
		for i, n := range d.list(to.nodes.Get) {
			if i < len(was) && was[i] == n { // most nodes
				continue
			}
			if o, ok := from.Get(n.ID); ok && o != n && o.Entry.Equal(&n.Entry) && (IsGone(o) || !o.Derived.Equal(n.Derived)) {
				out = append(out, n)
			}
		}
	}
	return out
}

// renamedKids adds the parents whose children have other ids although the versions
// are equal: a version covers the children's versions, not their ids.
func (c *comparison) renamedKids(from, to *State) {
	seen := map[string]bool{}
	for _, change := range c.delta.Changes {
		seen[change.ID] = true
	}
	for _, change := range c.delta.Changes {
		for _, n := range []*node.Node{change.Old, change.New} {
			if n == nil || n.Parent == "" || seen[n.Parent] {
				continue
			}
			seen[n.Parent] = true
			a, _ := from.Get(n.Parent)
			b, _ := to.Get(n.Parent)
			if a != nil && b != nil && !a.Entry.Equal(&b.Entry) {
				c.add(a, b)
			}
		}
	}
}

// deeper returns the nodes of trees with equal entries whose inherited fields changed:
// the level, or whether they are encrypted.
func deeper(from, to *State, changes []Change) []*node.Node {
	var out []*node.Node
	seen := map[string]bool{}
	for _, c := range changes {
		if c.Old == nil || c.New == nil || !to.IsTree(c.New.Path) || seen[c.ID] ||
			c.Old.Derived.Level == c.New.Derived.Level && c.Old.Derived.Encrypted == c.New.Derived.Encrypted {
			continue
		}
		for _, n := range walk(c.ID, to.Len(), to.Get) {
			if o, ok := from.Get(n.ID); ok && !seen[n.ID] && o != n && o.Entry.Equal(&n.Entry) && !o.Derived.Equal(n.Derived) {
				out = append(out, n)
			}
			seen[n.ID] = true
		}
	}
	return out
}

// pathsOf lists the documents of changes, and those at paths, sorted. Successive changes are usually in one.
func pathsOf(changes []Change, paths ...string) []string {
	for _, c := range changes {
		for _, n := range []*node.Node{c.Old, c.New} {
			if n != nil && (len(paths) == 0 || paths[len(paths)-1] != n.Path) {
				paths = append(paths, n.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func countLines(s string) int { return strings.Count(s, "\n") }
