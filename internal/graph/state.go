// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// State is all nodes of a scope at one moment. It is immutable and safe for
// any number of readers; nodes it hands out are shared and must not be
// changed. The zero State is empty.
type State struct {
	nodes     champ.Map[*node.Node]
	tree      merkle.Map[*node.Node]
	documents champ.Map[*docNodes]    // path -> document
	contested champ.Map[[]node.Claim] // id -> claims, where more than one document claims it
	setup     champ.Map[int]          // path of a setup file, present or not -> number of documents that name it
	ranks     map[string]int          // path -> rank, of documents that Adopt laid over a scope; never changed
	lacks     bool                    // a node of it may have no content, see Gone
	formats   document.Formats        // of its documents; never changed

	once       sync.Once
	paths      []string // sorted, made on first use
	copiesOnce sync.Once
	copied     *node.Copies // made on first use if the draft made none
}

// Empty returns the state without documents. All states derived from it have these formats, which must not
// change.
func Empty(formats document.Formats) *State { return &State{formats: formats} }

// Get returns the node with the given id. It costs one hash map lookup.
func (s *State) Get(id string) (*node.Node, bool) { return s.nodes.Get(id) }

// Len returns the number of nodes.
func (s *State) Len() int { return s.nodes.Len() }

// Root returns the digest of the state's Merkle map.
func (s *State) Root() merkle.Digest { return s.tree.Root() }

// Tree returns the state's Merkle map, for proofs and differences.
func (s *State) Tree() merkle.Map[*node.Node] { return s.tree }

// Document returns the document at a path.
func (s *State) Document(path string) (*node.Node, bool) {
	if d, ok := s.documents.Get(path); ok {
		return s.Get(d.top)
	}
	return nil, false
}

// DocumentCount returns the number of documents.
func (s *State) DocumentCount() int { return s.documents.Len() }

// Paths returns the document paths in byte order. The slice is the state's.
func (s *State) Paths() []string {
	s.once.Do(func() {
		s.paths = make([]string, 0, s.DocumentCount())
		for p := range s.documents.All() {
			s.paths = append(s.paths, p)
		}
		slices.Sort(s.paths)
	})
	return s.paths
}

// Documents yields the documents by path.
func (s *State) Documents() iter.Seq[*node.Node] {
	return func(yield func(*node.Node) bool) {
		for _, p := range s.Paths() {
			if d, ok := s.Document(p); ok && !yield(d) {
				return
			}
		}
	}
}

// All yields every node in document order, documents by path.
func (s *State) All() iter.Seq[*node.Node] {
	return func(yield func(*node.Node) bool) {
		for _, p := range s.Paths() {
			for _, n := range s.Nodes(p) {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// Nodes returns a document's nodes in document order, the document first; nil for a missing document. The slice
// belongs to the state. It may be made on first use.
func (s *State) Nodes(path string) []*node.Node {
	d, _ := s.documents.Get(path)
	return d.list(s.nodes.Get)
}

// Text returns the bytes of a document's file.
func (s *State) Text(path string) (string, bool) {
	nodes := s.Nodes(path)
	if nodes == nil {
		return "", false
	}
	return node.Join(nodes), true
}

// Ancestors returns a node's ancestors, its document first.
func (s *State) Ancestors(n *node.Node) []*node.Node { return ancestors(n, s.Len(), s.nodes.Get) }

// EffectiveTags returns a node's tags with those it inherits: the file's,
// then the ancestors', then its own, without repeats. The slice may be the
// state's.
func (s *State) EffectiveTags(n *node.Node) []string {
	own := n.Derived.Tags
	parent, ok := s.nodes.Get(n.Parent)
	if !ok {
		return own
	}
	return JoinTags(s.EffectiveTags(parent), own)
}

// JoinTags returns the inherited tags followed by the own ones that are not among them, each once. The slice
// may be one of the two. O(inherited + own).
func JoinTags(inherited, own []string) []string {
	switch {
	case len(inherited) == 0:
		return own
	case len(own) == 0:
		return inherited
	}
	out := slices.Clip(inherited)
	if len(inherited)+len(own) <= fewTags {
		for _, t := range own {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
		return out
	}
	seen := make(map[string]bool, len(inherited)+len(own))
	for _, t := range inherited {
		seen[t] = true
	}
	for _, t := range own {
		if !seen[t] {
			seen[t], out = true, append(out, t)
		}
	}
	return out
}

// fewTags is the number of tags up to which comparing all pairs is faster than a map.
const fewTags = 32

// Position returns where a node begins in its document: a byte offset and a 1-based line. It reads the document
// up to the node.
func (s *State) Position(n *node.Node) (offset, line int) {
	line = 1
	for _, m := range s.Nodes(n.Path) {
		if m.ID == n.ID {
			return offset, line
		}
		offset += len(m.Content)
		line += countLines(m.Content)
	}
	return 0, 0
}

// At returns the node of a document whose own text contains the byte offset; an offset at or past the end gives
// the last node.
func (s *State) At(path string, offset int) (*node.Node, bool) {
	var last *node.Node
	for _, n := range s.Nodes(path) {
		last = n
		if offset < len(n.Content) {
			break
		}
		offset -= len(n.Content)
	}
	return last, last != nil
}

// copies returns the conflict copies of the state. The first call for a state that no draft made checks every
// name.
func (s *State) copies() *node.Copies {
	s.copiesOnce.Do(func() {
		if s.copied == nil {
			s.copied = new(node.Copies{}.Judge(slices.Values(s.Paths()), s.Nodes))
		}
	})
	return s.copied
}

// CopyOf returns the path of the file that the document at path is a conflict copy of, ""
// for an ordinary document.
func (s *State) CopyOf(path string) string { return s.copies().Of(path) }

// Copies yields the conflict copies, each with the file that it is a copy of.
func (s *State) Copies() iter.Seq2[string, string] { return s.copies().All() }

// judge reads documents again that have become or ceased to be conflict copies.
func (d *Draft) judge() {
	now := d.copied.Judge(maps.Keys(d.changed), d.current)
	d.retry, d.copied = append(d.retry, now.Moved(*d.copied)...), &now
	d.settle("")
}

// ReadCopies takes ids from conflict copies that bear them, as in states of older versions.
func (d *Draft) ReadCopies() {
	for path := range d.copied.All() {
		if slices.ContainsFunc(d.current(path), func(n *node.Node) bool { return n.ID == n.Derived.DeclaredID }) {
			d.retry = append(d.retry, path)
		}
	}
	d.settle("")
}
