// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Side is one of the two states that are merged.
type Side struct {
	State  *State
	Who    string        // its author, in one line, for conflicts
	Time   int64         // of its commit, in Unix milliseconds
	Digest merkle.Digest // of its commit, or another digest that distinguishes the sides
}

// Merge returns a draft, based on the state of a, of the merge of two states with a common base: node by node
// and field by field, see document.Merging. Nodes are matched by id, those without one by text and place. The
// side with the later time wins conflicts, or that with the greater digest. A node that one side deleted and
// the other changed stays. If both moved a node, the winner's move counts, also if both moves together would
// form a cycle. The text of the result does not depend on which side is a, but its times of modification do. A
// document that one side lacks only because it ignores it now stays. Where base lacks the content of a node,
// each side has another version or none: see Gone. The conflicts have the ids and paths of the result.
// Documents that no side changed are not read. The cost is that of the two differences and of parsing the
// documents in them.
func Merge(base *State, a, b Side, now int64) (*Draft, []document.Conflict) {
	was := a.State
	var kept []string
	a.State, kept = KeepIgnored(base, a.State, b.State, now)
	b.State, _ = KeepIgnored(base, b.State, was, now)
	won, lost := a, b
	if cmp.Or(cmp.Compare(a.Time, b.Time), a.Digest.Compare(b.Digest)) < 0 {
		won, lost = b, a
	}
	m := newMerge(base, won, lost, false)
	draft, conflicts := m.draft(was, now)
	for _, path := range kept {
		if !slices.Contains(m.paths, path) {
			draft.Put(path, node.Parts(base.Nodes(path))...)
		}
	}
	return draft, conflicts
}

// Revert returns a draft, based on the state of head, that undoes the changes from before
// to after and keeps later ones. Where both concern the same field, head wins, and the
// earlier value is kept as a conflict. Nodes deleted since stay deleted. who names the
// author of the reverted changes.
func Revert(head, before, after *State, who string, now int64) (*Draft, []document.Conflict) {
	won, lost := Side{State: head, Who: "later work"}, Side{State: before, Who: who}
	return newMerge(after, won, lost, true).draft(head, now)
}

// merge is one call of Merge or Revert.
type merge struct {
	base, won, lost *State
	own             document.Merging
	paths           []string // of the documents that a side changed
	tracks          []*track // of base in order, then those that won added, then those that lost added
	in              [3]map[string]*track
	conflicts       []document.Conflict
}

// The three versions of a track.
const (
	inBase = iota
	inWon
	inLost
)

// track is one node in the three states, and its place in the result.
type track struct {
	versions [3]*node.Node // nil where it is absent
	alive    bool
	parent   *track // nil for a document
	path     string // of a document
	kids     []*track
	also     []document.Conflict // about the node as a whole
}

func newMerge(base *State, won, lost Side, undo bool) *merge {
	m := &merge{
		base: base, won: won.State, lost: lost.State,
		own: document.Merging{Won: won.Who, Lost: lost.Who, Undo: undo},
	}
	m.paths = Diff(base, m.lost).Paths
	if undo {
		m.paths = append(m.paths, m.currentPaths()...)
	}
	if m.match(); !undo || slices.ContainsFunc(m.tracks, func(t *track) bool { // a node that the other side changed may be in another document
		b, l := t.versions[inBase], t.versions[inLost]
		return b != nil && t.versions[inWon] == nil && (l == nil || l.Own != b.Own)
	}) {
		m.paths = append(m.paths, Diff(base, m.won).Paths...)
		m.match()
	}
	m.settle()
	m.arrange()
	return m
}

// currentPaths returns the winner's documents with nodes that the other side changed. A revert needs no others,
// however many commits followed.
func (m *merge) currentPaths() []string {
	var out []string
	for _, p := range m.paths {
		for _, n := range m.base.Nodes(p) {
			if now, ok := m.won.Get(n.ID); ok {
				out = append(out, now.Path)
			}
		}
	}
	return out
}

// draft puts the documents that differ from those of s.
func (m *merge) draft(s *State, now int64) (*Draft, []document.Conflict) {
	d := s.Edit(now)
	m.trees(d)
	texts := map[string]*written{}
	for _, t := range m.tracks {
		if t.alive && t.parent == nil {
			w := &written{opaque: t.any().Derived.Opaque, conflicts: map[int][]document.Conflict{}}
			m.writeTree(w, t, 0)
			texts[t.path] = w
		}
	}
	for _, path := range m.paths {
		if _, had := s.Document(path); had && texts[path] == nil && !m.isTree(path) {
			d.Drop(path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		w := texts[path]
		old, had := s.Document(path)
		if have, _ := s.Text(path); !had || have != w.text.String() || old.Derived.Opaque != w.opaque {
			d.Put(path, document.File(w.text.String(), w.opaque))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		m.conflicts = append(m.conflicts, texts[path].located(path, d.current(path))...)
	}
	return d, m.conflicts
}

// any returns a version of the track: the winner's if it has one.
func (t *track) any() *node.Node {
	return cmp.Or(t.versions[inWon], t.versions[inLost], t.versions[inBase])
}
