// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// Edge records that the id of a node changed from Old to New.
type Edge struct{ Old, New string }

// Lineage matches the nodes that a commit removed with those it added: by own digest,
// then by text without the stars, which a move to another level changes, then by title
// and parent, then by order among the remaining children of one parent, then by a title
// that occurs once on each side. Both sets are in document order. Each node is in at
// most one edge; the result is sorted and a function of the two sets alone. O(n log n)
// in the number of nodes.
func Lineage(removed, added []*Node) []Edge {
	if len(removed) == 0 || len(added) == 0 {
		return nil
	}
	m := matcher{old: slices.Clone(removed), new: slices.Clone(added), renamed: map[string]string{}}
	m.pair(func(n *Node) likeness { return likeness{typ: n.Type, own: n.Own} })
	m.pair(func(n *Node) likeness {
		if n.Content == "" { // a node of a tree, identified by its attributes alone
			return likeness{typ: n.Type, id: n.ID}
		}
		return likeness{typ: n.Type, text: strings.TrimLeft(n.Content, "*")}
	})
	m.pair(func(n *Node) likeness {
		return likeness{typ: n.Type, path: n.Path, parent: m.current(n.Parent), text: n.Title()}
	})
	m.pair(func(n *Node) likeness { return likeness{typ: n.Type, path: n.Path, parent: m.current(n.Parent)} })
	m.keepSingle()
	m.pair(func(n *Node) likeness { return likeness{typ: n.Type, text: n.Title()} })
	slices.SortFunc(m.edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New)) })
	return m.edges
}

// likeness is the key by which versions of a node are matched.
type likeness struct {
	typ, path, parent, id, text string
	own                         merkle.Digest
}

type matcher struct {
	old, new []*Node
	renamed  map[string]string // old id -> new id, so far
	edges    []Edge
}

// current returns the new id of a parent that may have been renamed itself.
func (m *matcher) current(id string) string {
	if n, ok := m.renamed[id]; ok {
		return n
	}
	return id
}

// keepSingle keeps only the headlines whose title is unique on each side.
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
		return n.Type != document.TypeHeadline || n.Title() == "" || old[n.Title()] != 1 || now[n.Title()] != 1
	}
	m.old, m.new = slices.DeleteFunc(m.old, drop), slices.DeleteFunc(m.new, drop)
}

// pair matches old and new nodes with equal keys, in order, and removes them.
func (m *matcher) pair(key func(*Node) likeness) {
	waiting := make(map[likeness][]*Node, len(m.new))
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
		m.renamed[o.ID] = n.ID
		m.edges = append(m.edges, Edge{o.ID, n.ID})
		return true
	})
	m.new = slices.DeleteFunc(m.new, func(n *Node) bool { return taken[n] })
}
