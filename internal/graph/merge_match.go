// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"iter"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// match matches the nodes of the three states.
func (m *merge) match() {
	slices.Sort(m.paths)
	m.paths, m.tracks = slices.Compact(m.paths), nil
	for v := range m.in {
		m.in[v] = map[string]*track{}
	}
	for n := range m.nodes(m.base) {
		m.add(inBase, n)
	}
	for _, v := range []int{inWon, inLost} {
		nodes := m.byID(v, slices.Collect(m.nodes(m.states()[v])))
		nodes = m.byText(v, nodes)
		for _, n := range nodes {
			if t := m.addedByBoth(n); v == inLost && t != nil {
				m.put(t, v, n)
			} else {
				m.add(v, n)
			}
		}
	}
}

// nodes yields a state's nodes of the merged documents, without trees.
func (m *merge) nodes(s *State) iter.Seq[*node.Node] {
	return func(yield func(*node.Node) bool) {
		for _, p := range m.paths {
			if m.isTree(p) {
				continue
			}
			for _, n := range s.Nodes(p) {
				if !yield(n) {
					return
				}
			}
		}
	}
}

func (m *merge) states() []*State { return []*State{m.base, m.won, m.lost} }

func (m *merge) add(v int, n *node.Node) {
	t := &track{}
	m.put(t, v, n)
	m.tracks = append(m.tracks, t)
}

func (m *merge) put(t *track, v int, n *node.Node) {
	t.versions[v] = n
	m.in[v][n.ID] = t
}

// byID matches nodes by id, then documents by path, and returns the others. A derived id may belong to another
// node by now, so it matches only with equal text.
func (m *merge) byID(v int, nodes []*node.Node) []*node.Node {
	var rest []*node.Node
	for _, n := range nodes {
		t := m.in[inBase][n.ID]
		if t == nil || t.versions[inBase].Type != n.Type && !IsGone(t.versions[inBase]) || hasDerivedID(n) && t.versions[inBase].Own != n.Own {
			rest = append(rest, n)
			continue
		}
		m.put(t, v, n)
	}
	return slices.DeleteFunc(rest, func(n *node.Node) bool {
		t := m.document(m.base, inBase, n)
		if t == nil || t.versions[v] != nil {
			return false
		}
		m.put(t, v, n)
		return true
	})
}

// document returns the track of the document of s at the path of n; nil if n is not a
// document.
func (m *merge) document(s *State, v int, n *node.Node) *track {
	if n.Type != document.TypeDocument {
		return nil
	}
	d, ok := s.Document(n.Path)
	if !ok {
		return nil
	}
	return m.in[v][d.ID]
}

// hasDerivedID reports whether n is a headline with a derived id.
func hasDerivedID(n *node.Node) bool { return n.Type == document.TypeHeadline && node.IsDerived(n.ID) }

// byText matches headlines whose id has changed, and returns the others.
func (m *merge) byText(v int, nodes []*node.Node) []*node.Node {
	var gone, came, rest []*node.Node
	left, now := map[string]int{}, map[string]int{} // number by parent
	for _, t := range m.tracks {
		if b := t.versions[inBase]; b != nil && t.versions[v] == nil && b.Type == document.TypeHeadline {
			gone = append(gone, b)
			left[b.Parent]++
		}
	}
	for _, n := range nodes {
		if n.Type == document.TypeHeadline {
			came = append(came, n)
			now[n.Parent]++
		}
	}
	successors := map[string]*node.Node{}
	for _, e := range node.Lineage(gone, came) {
		successors[e.New] = m.in[inBase][e.Old].versions[inBase]
	}
	for _, n := range nodes {
		old := successors[n.ID]
		if old == nil || n.Type != document.TypeHeadline || !similar(old, n) && left[old.Parent] != now[n.Parent] {
			rest = append(rest, n)
			continue
		}
		if declared := old.Derived.DeclaredID; declared != "" && n.Derived.DeclaredID != "" && declared != n.Derived.DeclaredID {
			rest = append(rest, n)
			continue
		}
		m.put(m.in[inBase][old.ID], v, n)
	}
	return rest
}

// similar reports whether two headlines have the same title or text.
func similar(a, b *node.Node) bool {
	return a.Derived.Title == b.Derived.Title || a.Body() == b.Body() && strings.TrimSpace(a.Body()) != ""
}

// addedByBoth returns the track of a node that the winner added as well: with the same declared id, from the
// same file, or with the same text at the same place.
func (m *merge) addedByBoth(n *node.Node) *track {
	t := m.in[inWon][n.ID]
	if t == nil || t.versions[inWon].Type != n.Type {
		t = m.document(m.won, inWon, n)
	}
	if t == nil || t.versions[inBase] != nil || t.versions[inLost] != nil {
		return nil
	}
	w := t.versions[inWon]
	if hasDerivedID(n) && (w.Own != n.Own || m.in[inWon][w.Parent] != m.in[inLost][n.Parent]) {
		return nil
	}
	return t
}
