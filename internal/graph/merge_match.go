// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"iter"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/node"
)

// match finds out which nodes of the three states are one.
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
			if t := m.brought(n); v == inLost && t != nil {
				m.put(t, v, n)
			} else {
				m.add(v, n)
			}
		}
	}
}

// nodes yields what a state has in the documents at hand, those apart that came as
// trees.
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

// byID takes the nodes that are known by their id, then the documents that are known
// by their path, and returns the others. An id that was derived from a place may be
// another node's by now: it counts where the text is still the same.
func (m *merge) byID(v int, nodes []*node.Node) []*node.Node {
	var rest []*node.Node
	for _, n := range nodes {
		t := m.in[inBase][n.ID]
		if t == nil || t.versions[inBase].Type != n.Type || placed(n) && t.versions[inBase].Own != n.Own {
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

// document returns the track of the document that s has in the place of n; nil
// where n is none.
func (m *merge) document(s *State, v int, n *node.Node) *track {
	if n.Type != node.TypeDocument {
		return nil
	}
	d, ok := s.Document(n.Path)
	if !ok {
		return nil
	}
	return m.in[v][d.ID]
}

// placed reports a headline whose id follows its place.
func placed(n *node.Node) bool { return n.Type == node.TypeHeadline && node.IsDerived(n.ID) }

// byText takes headlines that go by another id since, and returns the others.
func (m *merge) byText(v int, nodes []*node.Node) []*node.Node {
	var gone, came, rest []*node.Node
	left, now := map[string]int{}, map[string]int{} // how many below a parent
	for _, t := range m.tracks {
		if b := t.versions[inBase]; b != nil && t.versions[v] == nil && b.Type == node.TypeHeadline {
			gone = append(gone, b)
			left[b.Parent]++
		}
	}
	for _, n := range nodes {
		if n.Type == node.TypeHeadline {
			came = append(came, n)
			now[n.Parent]++
		}
	}
	heirs := map[string]*node.Node{}
	for _, e := range node.Lineage(gone, came) {
		heirs[e.New] = m.in[inBase][e.Old].versions[inBase]
	}
	for _, n := range nodes {
		old := heirs[n.ID]
		if old == nil || n.Type != node.TypeHeadline || !akin(old, n) && left[old.Parent] != now[n.Parent] {
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

// akin reports whether two headlines have their title or their text in common.
func akin(a, b *node.Node) bool {
	return a.Derived.Title == b.Derived.Title || a.Body() == b.Body() && strings.TrimSpace(a.Body()) != ""
}

// brought finds the track of a node that the winner brought as well: the same id
// that was declared, the same file, or the same text at the same place.
func (m *merge) brought(n *node.Node) *track {
	t := m.in[inWon][n.ID]
	if t == nil || t.versions[inWon].Type != n.Type {
		t = m.document(m.won, inWon, n)
	}
	if t == nil || t.versions[inBase] != nil || t.versions[inLost] != nil {
		return nil
	}
	w := t.versions[inWon]
	if placed(n) && (w.Own != n.Own || m.in[inWon][w.Parent] != m.in[inLost][n.Parent]) {
		return nil
	}
	return t
}
