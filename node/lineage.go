// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
)

// Edge says that the node once called Old is now called New.
type Edge struct{ Old, New string }

// Lineage matches the nodes that left a state with those that came to it in
// the same commit: by own digest, then by all of their text but the stars, which
// a move to another level changes, then by title and parent, then by order among
// what is left below one parent, then by title where one that left and one that
// came have it alone. Both sets are given in document order.
// Each node is in at most one edge; the result is sorted and a function of the
// two sets alone. Complexity is O(n log n) in the number of nodes given.
func Lineage(removed, added []*Node) []Edge {
	if len(removed) == 0 || len(added) == 0 {
		return nil
	}
	m := matcher{old: slices.Clone(removed), new: slices.Clone(added), heirs: map[string]string{}}
	pair(&m, func(n *Node) owned { return owned{n.Type, n.Own} })
	pair(&m, func(n *Node) worded {
		if n.Content == "" { // a node of a tree, known by its attributes alone
			return worded{typ: n.Type, id: n.ID}
		}
		return worded{typ: n.Type, text: strings.TrimLeft(n.Content, "*")}
	})
	pair(&m, func(n *Node) placed { return placed{n.Type, n.Path, m.heir(n.Parent), n.Title()} })
	pair(&m, func(n *Node) placed { return placed{n.Type, n.Path, m.heir(n.Parent), ""} })
	m.keepSingle()
	pair(&m, func(n *Node) placed { return placed{typ: n.Type, title: n.Title()} })
	slices.SortFunc(m.edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New)) })
	return m.edges
}

type owned struct {
	typ string
	own merkle.Digest
}

type worded struct{ typ, text, id string }

type placed struct{ typ, path, parent, title string }

type matcher struct {
	old, new []*Node
	heirs    map[string]string // old id -> new id, as far as known
	edges    []Edge
}

// heir gives the present id of a parent that may itself have been renamed.
func (m *matcher) heir(id string) string {
	if n, ok := m.heirs[id]; ok {
		return n
	}
	return id
}

// keepSingle leaves out the headlines whose title is not one of a kind among
// those that left or among those that came, and all documents.
func (m *matcher) keepSingle() {
	count := func(nodes []*Node) map[string]int {
		titles := make(map[string]int, len(nodes))
		for _, n := range nodes {
			titles[n.Title()]++
		}
		return titles
	}
	old, now := count(m.old), count(m.new)
	drop := func(n *Node) bool {
		return n.Type != TypeHeadline || n.Title() == "" || old[n.Title()] != 1 || now[n.Title()] != 1
	}
	m.old, m.new = slices.DeleteFunc(m.old, drop), slices.DeleteFunc(m.new, drop)
}

// pair joins, in order, old and new nodes of equal key and takes them out.
func pair[K comparable](m *matcher, key func(*Node) K) {
	waiting := make(map[K][]*Node, len(m.new))
	for _, n := range m.new {
		waiting[key(n)] = append(waiting[key(n)], n)
	}
	taken := make(map[*Node]bool, len(m.new))
	m.old = slices.DeleteFunc(m.old, func(o *Node) bool {
		k := key(o)
		if len(waiting[k]) == 0 {
			return false
		}
		n := waiting[k][0]
		waiting[k] = waiting[k][1:]
		taken[n] = true
		m.heirs[o.ID] = n.ID
		m.edges = append(m.edges, Edge{o.ID, n.ID})
		return true
	})
	m.new = slices.DeleteFunc(m.new, func(n *Node) bool { return taken[n] })
}
