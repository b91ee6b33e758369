// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Loader fetches a block by digest.
type Loader func(merkle.Digest) ([]byte, error)

// Apply returns the state after a commit based on s. It applies the delta, loads missing
// content (see ErrGone for deleted content), derives fields from the bytes, and compares
// the root with that of the commit (ErrRoot).
func (s *State) Apply(c *Commit, load Loader) (*State, error) {
	return s.step(c, c.State, load, (*Record).After)
}

// Undo returns the state before a commit that led to s; root is the root that it must have.
func (s *State) Undo(c *Commit, root merkle.Digest, load Loader) (*State, error) {
	return s.step(c, root, load, (*Record).Before)
}

func (s *State) step(c *Commit, root merkle.Digest, load Loader, way func(*Record, *node.Entry) (*node.Entry, error)) (*State, error) {
	b := &builder{
		base: s, nodes: s.nodes.Edit(), documents: s.documents.Edit(), tree: s.tree.Edit(), setup: setupCounts{s.setup.Edit()},
		tops: map[string]string{}, branches: map[string][]string{}, sizes: map[string]extent{},
	}
	for i := range c.Delta {
		if err := b.change(&c.Delta[i], way, load); err != nil {
			return nil, fmt.Errorf("commit %d: node %s: %w", c.Seq, c.Delta[i].ID, err)
		}
	}
	again := slices.AppendSeq(s.dependents(maps.Keys(b.tops)), maps.Keys(b.tops))
	for path := range b.tops {
		b.gather(path)
	}
	slices.Sort(again)
	for _, path := range slices.Compact(again) { // all texts are present now: any may be the setup file of another
		if err := b.rederive(path); err != nil {
			return nil, fmt.Errorf("commit %d: %s: %w", c.Seq, path, err)
		}
	}
	next := b.state(s.contested)
	if next.Root() != root || next.Len() != next.tree.Len() { // a node outside any document is not in the tree
		return nil, fmt.Errorf("commit %d: %w", c.Seq, ErrRoot)
	}
	return next, nil
}

// builder builds a state from entries and blocks.
type builder struct {
	base      *State
	nodes     *champ.Editor[*node.Node]
	documents *champ.Editor[*docNodes]
	tree      *merkle.Editor[*node.Node]
	setup     setupCounts
	branches  map[string][]string // by path: ids of the changed and added nodes
	sizes     map[string]extent   // by path: change of the size
	tops      map[string]string   // by path: id of a document with changed nodes, "" if it was removed
	lost      bool                // a node of a changed document does not bear the id that it claims
	lacks     bool                // the content of a changed node is gone
}

// change applies one record.
func (b *builder) change(r *Record, way func(*Record, *node.Entry) (*node.Entry, error), load Loader) error {
	id := r.ID
	old, had := b.nodes.Get(id)
	var was *node.Entry
	if had {
		was = &old.Entry
	}
	to, err := way(r, was)
	if err != nil {
		return err
	}
	if had {
		b.touch(old.Path)
		b.sizes[old.Path] = b.sizes[old.Path].plus(-1, old)
		if old.Parent == "" && b.tops[old.Path] == id {
			b.tops[old.Path] = ""
		}
	}
	if to == nil {
		b.nodes.Delete(id)
		b.tree.Delete(merkle.Sum([]byte(id)))
		return nil
	}
	n := old
	if !had || old.Own != to.Own {
		if n, err = read(to.Own, load); err != nil {
			return err
		}
		b.lacks = b.lacks || IsGone(n)
	}
	n = n.Place(id, *to)
	b.nodes.Set(id, n)
	b.touch(n.Path)
	b.sizes[n.Path] = b.sizes[n.Path].plus(1, n)
	b.branches[n.Path] = append(b.branches[n.Path], id)
	if n.Parent == "" {
		b.tops[n.Path] = id
	}
	return nil
}

// touch records that a document changes.
func (b *builder) touch(path string) {
	if _, ok := b.tops[path]; ok {
		return
	}
	b.tops[path] = ""
	if top, ok := b.base.Document(path); ok {
		b.tops[path] = top.ID
	}
}

// gather sets a changed document.
func (b *builder) gather(path string) {
	b.documents.Delete(path)
	top, ok := b.nodes.Get(b.tops[path])
	if !ok {
		return
	}
	doc := &docNodes{top: top.ID, tree: top.IsTree(), extent: b.sizes[path]}
	if was, had := b.base.documents.Get(path); had {
		doc.size += was.size
		doc.bytes += was.bytes
	}
	b.documents.Set(path, doc)
}

// rederive derives a document's fields from its bytes and those of its setup files, and
// adds its nodes to the Merkle map.
func (b *builder) rederive(path string) error {
	if b.rederiveBranches(path) {
		b.gather(path) // without a list of nodes made before
		return nil
	}
	old := b.base.Nodes(path)
	nodes := b.at(path)
	if nodes == nil {
		b.setup.replace(old, nil)
		return nil
	}
	fresh := alone(b.base.formats, nodes)
	if !hasGone(nodes) {
		var err error
		if fresh, err = node.Rederive(b.base.formats, nodes, filesOf(b.at)); err != nil {
			return err
		}
	}
	b.setup.replace(old, fresh)
	for _, n := range fresh {
		if o, ok := b.base.Get(n.ID); ok && o == n {
			b.lost = b.lost || loses(n) // the bearer may have moved to another file
			continue
		}
		b.put(n)
	}
	b.documents.Set(path, newDocument(fresh))
	return nil
}

// put sets a node with derived fields.
func (b *builder) put(n *node.Node) {
	b.nodes.Set(n.ID, n)
	b.tree.Set(n)
	b.lost = b.lost || loses(n)
}

// at returns the present nodes of a document.
func (b *builder) at(path string) []*node.Node {
	doc, _ := b.documents.Get(path)
	return doc.list(b.nodes.Get)
}

// state returns the built state. Ids are contested only if some were before, or a node of a changed document
// does not bear the id that it claims.
func (b *builder) state(contested champ.Map[[]node.Claim]) *State {
	s := &State{
		nodes: b.nodes.Map(), documents: b.documents.Map(), tree: b.tree.Map(), setup: b.setup.Map(),
		lacks: b.base.lacks || b.lacks, formats: b.base.formats,
	}
	if b.lost || contested.Len() > 0 {
		s.contest()
	}
	return s
}

// loses reports whether a node claims an id that another node bears.
func loses(n *node.Node) bool {
	w := n.ClaimedID()
	return w != "" && w != n.ID
}

// contest recomputes the contested ids: those that a node claims but does not bear.
func (s *State) contest() {
	lost := map[string][]node.Claim{}
	seen := map[string]bool{}
	for _, n := range s.nodes.All() {
		if !loses(n) || seen[n.Path] {
			continue
		}
		seen[n.Path] = true
		isCopy := s.CopyOf(n.Path) != ""
		for _, m := range s.Nodes(n.Path) {
			if id := m.ClaimedIn(isCopy); id != "" && id != m.ID {
				lost[id] = append(lost[id], node.Claim{ID: id, Path: m.Path})
			}
		}
	}
	e := champ.Map[[]node.Claim]{}.Edit()
	for id, claims := range lost {
		bearer, ok := s.nodes.Get(id)
		if !ok {
			continue
		}
		claims = append(claims, node.Claim{ID: id, Path: bearer.Path})
		slices.SortFunc(claims, order)
		if claims = slices.Compact(claims); len(claims) > 1 {
			e.Set(id, claims)
		}
	}
	s.contested = e.Map()
}

// Restore returns the state that restores target after s, and the delta from s. It equals target except for
// times of modification: those of changed nodes become now, the others are those of s, as if a reader applied
// the delta to s.
func (s *State) Restore(target *State, now int64) (*State, Delta) {
	delta := Diff(s, target)
	nodes, documents := s.nodes.Edit(), s.documents.Edit()
	for i, c := range delta.Changes {
		if c.New == nil {
			nodes.Delete(c.ID)
			continue
		}
		e := c.New.Entry
		if c.Old == nil || c.Old.Own != e.Own {
			e.Modified = now
		} else {
			e.Modified = c.Old.Modified
		}
		n := c.New.Place(c.ID, e)
		nodes.Set(c.ID, n)
		delta.Changes[i].New = n
	}
	paths := slices.Clone(delta.Paths)
	for i, n := range delta.Reread {
		if old, ok := s.Get(n.ID); ok {
			n = n.Place(n.ID, old.Entry)
		}
		nodes.Set(n.ID, n)
		delta.Reread[i], paths = n, append(paths, n.Path)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if doc, ok := target.documents.Get(path); ok {
			documents.Set(path, &docNodes{top: doc.top, tree: doc.tree, extent: doc.extent})
		} else {
			documents.Delete(path)
		}
	}
	return &State{
		nodes: nodes.Map(), documents: documents.Map(), tree: s.treeAfter(&delta), contested: target.contested, setup: target.setup, copied: target.copies(),
		lacks: s.lacks || target.lacks, formats: target.formats,
	}, delta
}

// rederiveBranches derives the changed nodes of a tree without looking at the others. It reports whether that
// sufficed: the document was this tree before, and nothing that its nodes pass down has changed.
func (b *builder) rederiveBranches(path string) bool {
	top, ok := b.nodes.Get(b.tops[path])
	was, had := b.base.Document(path)
	if !ok || !had || !top.IsTree() || !was.IsTree() || top.ID != was.ID {
		return false
	}
	waiting := map[string]bool{}
	for _, id := range b.branches[path] {
		waiting[id] = true
	}
	return !slices.ContainsFunc(b.branches[path], func(id string) bool { return !b.rederiveWay(id, waiting) })
}

// rederiveWay derives a waiting node after those of its ancestors that wait too.
func (b *builder) rederiveWay(id string, waiting map[string]bool) bool {
	var way []*node.Node
	var parent *node.Node
	for {
		n, ok := b.nodes.Get(id)
		if !ok || n.Type == typeGone {
			return false
		}
		if !waiting[id] {
			if parent = n; n.Derived == nil {
				return false // a cycle, as a forged commit may contain
			}
			break
		}
		delete(waiting, id)
		way = append(way, n)
		if n.Parent == "" {
			break
		}
		id = n.Parent
	}
	for _, n := range slices.Backward(way) {
		n = n.Under(parent)
		if o, ok := b.base.Get(n.ID); ok && (o.Derived.Level != n.Derived.Level || o.Derived.Encrypted != n.Derived.Encrypted) {
			return false
		}
		b.put(n)
		parent = n
	}
	return true
}
