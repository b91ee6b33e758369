// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Draft collects changes to a state. It is for one goroutine, and must not be used
// after Seal.
type Draft struct {
	base      *State
	nodes     *champ.Editor[*node.Node]
	documents *champ.Editor[*docNodes]
	contested *champ.Editor[[]node.Claim]
	setup     setupCounts
	copied    *node.Copies   // that of base, until Seal
	ranks     map[string]int // those of base until ranked
	ranked    bool
	lacks     bool // a node was adopted whose content is gone

	changed map[string]bool // documents that were put or dropped
	touched []string        // ids whose nodes were set or deleted, with repetitions
	retry   []string        // paths to read again: for their ids, or for a setup file
	now     int64
}

// Edit begins a draft based on s. now, in Unix milliseconds, becomes the time of modification of changed nodes.
func (s *State) Edit(now int64) *Draft {
	return &Draft{
		base: s, nodes: s.nodes.Edit(), documents: s.documents.Edit(), contested: s.contested.Edit(), setup: setupCounts{s.setup.Edit()},
		copied: s.copies(), ranks: s.ranks, changed: map[string]bool{}, now: now,
	}
}

// Put sets a document to its parts, which it may change: a document.File, those of an ast.Tree, or node.Parts
// of another state; no parts remove it. An opaque file is one node and not parsed. If a file and a tree claim
// the same id, the file is the bearer. O(bytes); if an id moves to another document, also parsing of that
// document, and for a setup file, of all that name it. If a text is the file's present one with headlines that
// declare ids added at its end, only those are parsed.
func (d *Draft) Put(path string, parts ...document.Part) {
	if len(parts) == 0 {
		d.Drop(path)
		return
	}
	f, ok := node.FormatOf(d.base.formats, path, parts).(document.Editor)
	if ok && d.extend(f, path, parts[0].Content) {
		return
	}
	d.put(path, parts)
	d.settle(path)
}

// Drop removes a document and all its nodes.
func (d *Draft) Drop(path string) {
	old := d.take(path)
	d.claim(path, old, nil)
	d.swap(old, nil)
	d.settle(path)
}

// settle reads documents again whose setup file is at path, or that lost or won a
// contested id.
func (d *Draft) settle(path string) {
	d.retry = append(d.retry, d.dependents(path)...)
	for len(d.retry) > 0 {
		path := d.retry[0]
		d.retry = d.retry[1:]
		if parts := node.Parts(d.current(path)); len(parts) > 0 {
			d.put(path, parts)
		}
	}
}

// put sets a document to what its format parses from its parts.
func (d *Draft) put(path string, parts []document.Part) {
	o := node.Read(d.base.formats, path, filesOf(d.current), parts...)
	o.Copy = d.copied.Of(path) != ""
	old := d.take(path)
	d.claim(path, old, o.Claims())
	nodes, _ := o.Nodes(d.bears)
	d.keep(old, nodes, len(old) > 0 && !nodes[0].IsTree())
	d.swap(old, nodes)
	d.documents.Set(path, newDocument(nodes))
}

// keep replaces new nodes that are unchanged by the old objects. shared means that the text of the nodes is
// part of the text of a known file: changed nodes get a copy, so that a small edit does not retain the whole
// old and new text.
func (d *Draft) keep(old, nodes []*node.Node, shared bool) {
	was := make(map[string]*node.Node, len(old))
	for _, n := range old {
		was[n.ID] = n
	}
	for i, n := range nodes {
		o := was[n.ID]
		n.Modified = d.now
		if o != nil && o.Own == n.Own {
			n.Modified = o.Modified
			switch {
			case o.Type == typeGone: // the file still contains it
				o = nil
			case o.Entry.Equal(&n.Entry) && o.Derived.Equal(n.Derived):
				nodes[i] = o
				continue
			default:
				n.Content, n.Attrs = o.Content, o.Attrs
			}
		}
		if shared {
			n.Detach(o)
		}
	}
}

// take removes a document and returns its nodes, which stay in the map of ids until
// swap.
func (d *Draft) take(path string) []*node.Node {
	nodes := d.current(path)
	d.documents.Delete(path)
	d.changed[path] = true
	return nodes
}

// swap replaces the old nodes of a document or branch by others in the map of ids.
// Unchanged entries are left alone so that the new map shares structure with its base. An
// id that another document has won is not deleted.
func (d *Draft) swap(old, nodes []*node.Node) {
	d.setup.replace(old, nodes)
	d.touched = slices.Grow(d.touched, len(nodes))
	for _, n := range nodes {
		if now, _ := d.nodes.Get(n.ID); now != n {
			d.set(n)
		}
	}
	if len(old) == 0 {
		return
	}
	stays := make(map[*node.Node]bool, len(nodes))
	for _, n := range nodes {
		stays[n] = true
	}
	for _, o := range old {
		if now, _ := d.nodes.Get(o.ID); now == o && !stays[o] {
			d.nodes.Delete(o.ID)
			d.touched = append(d.touched, o.ID)
		}
	}
}

// set sets a node in the map of ids.
func (d *Draft) set(n *node.Node) {
	d.nodes.Set(n.ID, n)
	d.touched = append(d.touched, n.ID)
}

// current returns a document's nodes as the draft has them.
func (d *Draft) current(path string) []*node.Node {
	doc, _ := d.documents.Get(path)
	return doc.list(d.nodes.Get)
}

// bears reports whether a claim is the first of those to its id.
func (d *Draft) bears(c node.Claim) bool {
	list, ok := d.contested.Get(c.ID)
	return !ok || list[0] == c
}

// claim replaces the claims of a document, which had the old nodes, and marks documents whose ids change as a
// result.
func (d *Draft) claim(path string, old []*node.Node, claims []node.Claim) {
	for _, n := range old {
		d.withdraw(n.ClaimedIn(false), path)
		d.withdraw(n.ClaimedIn(true), path) // it may have become or ceased to be a copy
	}
	for _, c := range claims {
		d.enter(c)
	}
}

// withdraw removes a document's claim to an id.
func (d *Draft) withdraw(id, path string) {
	list, ok := d.contested.Get(id)
	if !ok {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(c node.Claim) bool { return c.Path == path })
	if len(rest) < 2 {
		d.contested.Delete(id)
	} else {
		d.contested.Set(id, rest)
	}
	if len(rest) > 0 && rest[0] != list[0] {
		d.reread(rest[0].Path, path)
	}
}

// enter adds a claim. An id is contested from its second claim on.
func (d *Draft) enter(c node.Claim) {
	list, ok := d.contested.Get(c.ID)
	if !ok {
		n, held := d.nodes.Get(c.ID)
		if !held || n.Path == c.Path {
			return
		}
		list = []node.Claim{{ID: c.ID, Path: n.Path}}
	}
	bearer := list[0]
	i, found := slices.BinarySearchFunc(list, c, d.order)
	if found {
		return
	}
	d.contested.Set(c.ID, slices.Concat(list[:i], []node.Claim{c}, list[i:]))
	if i == 0 {
		d.reread(bearer.Path, c.Path)
	}
}

// reread marks a document to be read again, unless it is the current one.
func (d *Draft) reread(path, current string) {
	d.current(path) // listed before another document gets the id that it loses
	if path != current && !slices.Contains(d.retry, path) {
		d.retry = append(d.retry, path)
	}
}

func order(a, b node.Claim) int {
	switch {
	case a == b:
		return 0
	case a.Before(b):
		return -1
	default:
		return 1
	}
}

// Seal ends the draft and returns the next state and the delta. The Merkle map costs only the changed nodes.
func (d *Draft) Seal() (*State, Delta) {
	if len(d.changed) == 0 {
		return d.base, Delta{}
	}
	d.judge()
	delta := d.delta()
	next := &State{
		nodes: d.nodes.Map(), documents: d.documents.Map(), contested: d.contested.Map(), setup: d.setup.Map(), tree: d.base.treeAfter(&delta),
		copied: d.copied, ranks: d.ranks, lacks: d.base.lacks || d.lacks, formats: d.base.formats,
	}
	return next, delta
}

// treeAfter returns the Merkle map after a delta; a first one is built on all processors.
func (s *State) treeAfter(delta *Delta) merkle.Map[*node.Node] {
	if s.Len() == 0 {
		added := make([]*node.Node, len(delta.Changes))
		for i, c := range delta.Changes {
			added[i] = c.New
		}
		return merkle.Build(added)
	}
	tree := s.tree.Edit()
	for _, c := range delta.Changes {
		if c.New == nil {
			tree.Delete(merkle.SumText(c.ID))
		} else {
			tree.Set(c.New)
		}
	}
	for _, n := range delta.Reread {
		tree.Set(n) // the digest is the same, but a Diff of trees must not yield a stale node
	}
	return tree.Map()
}
