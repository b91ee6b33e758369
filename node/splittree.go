// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"iter"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// TreePath returns the path of the memory-backed document that a tree of a scope
// is: "/" and the id its root declares, else one derived from the scope and the
// root's title, else from the scope and the whole tree, so that two nameless trees
// never meet and the same one again is the same. Errors as SplitTree.
func TreePath(scope string, t *Tree) (string, error) {
	if t != nil && t.ID() != "" {
		return MemoryPath(t.ID()), nil
	}
	s := treeSplitter{}
	if err := s.grow(t, above{}); err != nil {
		return "", err
	}
	b := merkle.AppendText(merkle.AppendText(merkle.AppendList(nil, 3), "tree"), scope)
	if title := s.nodes[0].Derived.Title; title != "" {
		b = merkle.AppendText(b, title)
	} else {
		s.hash()
		b = merkle.AppendLink(b, s.nodes[0].Version)
	}
	return MemoryPath(derive(merkle.Sum(b))), nil
}

// SplitTree turns a tree into the nodes of the document at path, in document
// order, the root first, with ids, digests, parents and children set. It is
// GrowTree and Nodes in one.
func SplitTree(path string, t *Tree, bears func(Claim) bool) ([]*Node, []Problem, error) {
	g, err := GrowTree(path, t)
	if err != nil {
		return nil, nil, err
	}
	nodes, problems := g.Nodes(bears)
	return nodes, problems, nil
}

// Growth is a tree, or a branch of one, on its way to nodes: its claims are known,
// who bears which id is not.
type Growth struct {
	treeSplitter
	choose func(*treeSplitter)
}

// GrowTree begins with a whole tree at path, which is that of TreePath, so that a
// root without an id has its own, or that of the file the tree is laid over. A
// tree that Check refuses is refused with its error. O(nodes and their bytes).
func GrowTree(path string, t *Tree) (*Growth, error) {
	g := &Growth{treeSplitter: treeSplitter{path: path}}
	g.choose = func(s *treeSplitter) {
		s.document = s.root()
		s.name(s.document, func() merkle.Digest { return outlineOf(s.document) })
	}
	if err := g.grow(t, above{}); err != nil {
		return nil, err
	}
	if !IsTree(g.nodes[:1]) {
		return nil, fmt.Errorf("properties: a tree laid over a file names it, by ID, PATH or FILE: %w", ErrTree)
	}
	return g, nil
}

// Stem says where a branch of a tree hangs.
type Stem struct {
	Path   string               // of the document
	Parent *Node                // of the branch
	ID     string               // of the branch where it declares none
	Place  func() merkle.Digest // of the branch, as TreePlace gives it; called where ids are derived
}

// GrowBranch begins with a part of a tree, to be put where stem says. Its nodes
// are those of the branch alone. There must be no Customs in it.
func GrowBranch(stem Stem, t *Tree) (*Growth, error) {
	g := &Growth{treeSplitter: treeSplitter{path: stem.Path}}
	g.choose = func(s *treeSplitter) {
		s.nodes[0].Parent = stem.Parent.ID
		top := s.borne(0)
		if top == "" {
			top = stem.ID
		}
		s.name(top, stem.Place)
	}
	if err := g.grow(t, stem.Parent.below()); err != nil {
		return nil, err
	}
	return g, nil
}

// Claims lists the ids that the nodes claim. A tree declares no id twice, so that
// they need no ordinals.
func (g *Growth) Claims() []Claim {
	out := make([]Claim, 0, len(g.nodes))
	for i, n := range g.nodes {
		id := n.Derived.DeclaredID
		if i == 0 {
			id = n.Wish()
		}
		if id != "" {
			out = append(out, Claim{ID: id, Path: g.path})
		}
	}
	return out
}

// Customs reports whether any node has a CUSTOM_ID, which must be looked at in
// the whole tree.
func (g *Growth) Customs() bool { return slices.ContainsFunc(g.nodes, (*Node).Custom) }

// Custom reports whether a node that came as a tree has a CUSTOM_ID.
func (n *Node) Custom() bool { return attr(n.Attrs, "CUSTOM_ID").Kind() == KindText }

// Nodes returns the nodes, the first one first. bears is as in Split. It is to be
// called once.
func (g *Growth) Nodes(bears func(Claim) bool) ([]*Node, []Problem) {
	g.bears = bears
	g.hash()
	g.choose(&g.treeSplitter)
	return g.nodes, g.problems
}

// treeSplitter builds the nodes of a tree.
type treeSplitter struct {
	path     string
	document string // id of the root of the whole tree
	bears    func(Claim) bool
	spots    []spot
	sizes    []int // of the parts, in nodes
	nodes    []*Node
	problems []Problem
}

// grow makes the nodes, with own digests, as each is at hand, and without ids, versions
// and kinship.
func (s *treeSplitter) grow(t *Tree, up above) error {
	var err error
	if s.spots, err = t.layout(); err != nil {
		return err
	}
	s.nodes = make([]*Node, len(s.spots))
	var buf []byte
	for i, at := range s.spots {
		if at.parent >= 0 {
			up = s.nodes[at.parent].below()
		}
		grown := new(struct {
			node    Node
			derived Derived
		})
		n := &grown.node
		n.Type, n.Attrs, n.Content, n.Bare, n.Path = at.tree.Type, at.tree.Attrs, at.tree.Content, at.tree.Bare, s.path
		if up.level >= MaxTreeDepth {
			return fmt.Errorf("%sdeeper than %d in the whole tree: %w", where(s.spots, i, ""), MaxTreeDepth, ErrTree)
		}
		grown.derived.DeclaredID = at.id
		n.deriveTree(&grown.derived, up)
		buf, _ = n.appendOwn(buf[:0], nil) // no emit, no error
		n.Own = merkle.Sum(buf)
		s.nodes[i] = n
	}
	return nil
}

// hash sets versions.
func (s *treeSplitter) hash() {
	var buf []byte
	var kids []merkle.Digest
	s.sizes = make([]int, len(s.nodes))
	for i, n := range slices.Backward(s.nodes) { // a child stands behind its parent
		kids = kids[:0]
		s.sizes[i] = 1
		for kid := range s.kids(i) {
			kids = append(kids, s.nodes[kid].Version)
			s.sizes[i] += s.sizes[kid]
		}
		if n.Version = n.Own; len(kids) > 0 {
			buf, _ = appendVersion(buf[:0], n.Own, kids, nil)
			n.Version = merkle.Sum(buf)
		}
	}
}

// kids yields the indexes of a node's children.
func (s *treeSplitter) kids(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		kid := i + 1
		for range s.spots[i].tree.Kids {
			if !yield(kid) {
				return
			}
			kid += s.sizes[kid]
		}
	}
}

// name gives all nodes their ids; top gives that of the first one where it bears
// none of its own, place its place.
func (s *treeSplitter) name(top string, place func() merkle.Digest) {
	ids := make([]string, len(s.nodes))
	ids[0] = top
	for i := range s.nodes[1:] {
		ids[i+1] = s.borne(i + 1)
	}
	s.customs(ids)
	places := s.places(ids, place)
	for i, n := range s.nodes {
		if ids[i] == "" {
			ids[i] = derive(places[i])
		}
		n.Identify(ids[i])
		if up := s.spots[i].parent; up >= 0 {
			parent := s.nodes[up]
			n.Parent = parent.ID
			if parent.Kids == nil {
				parent.Kids = make([]string, 0, len(s.spots[up].tree.Kids))
			}
			parent.Kids = append(parent.Kids, n.ID)
		}
	}
}

// borne returns the id that a node declares and bears, "" for none.
func (s *treeSplitter) borne(i int) string {
	n := s.nodes[i]
	id := n.Derived.DeclaredID
	if id == "" || s.bears(Claim{ID: id, Path: s.path}) {
		return id
	}
	s.problems = append(s.problems, Problem{s.path, 0, "id", where(s.spots, i, "properties.ID") + quote(id) + " is borne by another node; a derived id is used"})
	return ""
}

// customs gives the ids that CUSTOM_ID makes; the first of a kind has it.
func (s *treeSplitter) customs(ids []string) {
	var used map[string]bool
	for i, n := range s.nodes[1:] {
		c := attr(n.Attrs, "CUSTOM_ID")
		if ids[i+1] != "" || c.Kind() != KindText || c.String() == "" {
			continue
		}
		id := customID(s.document, c.String())
		if used[id] || len(id) > MaxID {
			continue
		}
		if used == nil {
			used = map[string]bool{}
		}
		used[id], ids[i+1] = true, id
	}
}

// places computes the places of the nodes whose ids come from them, and of those
// above these.
func (s *treeSplitter) places(ids []string, top func() merkle.Digest) []merkle.Digest {
	wanted := make([]bool, len(ids))
	for i := range slices.Backward(ids) {
		wanted[i] = wanted[i] || ids[i] == ""
		if up := s.spots[i].parent; wanted[i] && up >= 0 {
			wanted[up] = true
		}
	}
	if !wanted[0] {
		return nil
	}
	places := make([]merkle.Digest, len(ids))
	places[0] = top()
	ordinals := map[string]int{}
	for i := range ids {
		if !wanted[i] {
			continue
		}
		clear(ordinals)
		for kid := range s.kids(i) {
			key := s.nodes[kid].siblingKey()
			if wanted[kid] {
				places[kid] = s.nodes[kid].placeBelow(places[i], ordinals[key])
			}
			ordinals[key]++
		}
	}
	return places
}

// siblingKey is what siblings are told apart by before their order counts: the
// title, or the type where there is none.
func (n *Node) siblingKey() string {
	if n.Derived.Title != "" {
		return n.Derived.Title
	}
	return "\x00" + n.Type
}

// placeBelow is a node's place in its tree, as outline has it for headlines.
func (n *Node) placeBelow(parent merkle.Digest, ordinal int) merkle.Digest {
	if n.Derived.Title != "" {
		return outline(parent, n.Derived.Title, ordinal)
	}
	b := merkle.AppendLink(merkle.AppendList(nil, 3), parent)
	b = merkle.AppendText(b, n.Type) // a text: no title, which is bytes, makes the same
	return merkle.Sum(merkle.AppendUint(b, uint64(ordinal)))
}

// TreePlace returns the place of the last node of way, which leads to it from the
// root of its tree, node by node. get finds siblings. O(siblings on the way).
func TreePlace(way []*Node, get func(id string) (*Node, bool)) merkle.Digest {
	place := outlineOf(way[0].ID)
	for i, n := range way[1:] {
		ordinal := 0
		for _, id := range way[i].Kids {
			if id == n.ID {
				break
			}
			if k, ok := get(id); ok && k.siblingKey() == n.siblingKey() {
				ordinal++
			}
		}
		place = n.placeBelow(place, ordinal)
	}
	return place
}

// SamePlace reports whether a branch with the root b may stand where the branch
// with the root n stands, and no id beside or above them changes by it.
func (n *Node) SamePlace(b *Tree) bool {
	title := attr(b.Attrs, "TITLE").String()
	return title == n.Derived.Title && (title != "" || b.Type == n.Type)
}

// root chooses the id of the root of a whole tree.
func (s *treeSplitter) root() string {
	if id := s.borne(0); id != "" {
		return id
	}
	if !IsMemory(s.path) {
		if id := DocumentID(s.path); s.nodes[0].Derived.DeclaredID == "" && s.bears(Claim{ID: id, Path: s.path}) {
			return id
		}
		return rawDocumentID(s.path)
	}
	if id := s.path[len(memoryMark):]; s.nodes[0].Derived.DeclaredID == "" && IsDerived(id) {
		return id
	}
	return documentID("tree", s.path)
}
