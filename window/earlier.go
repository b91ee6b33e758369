// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
)

// earlier is the last block of a document of which some nodes read as they did: a note
// at the end of a file of thousands reads one item.
type earlier struct {
	block *block               // nil for none
	same  func(id string) bool // whether a node reads as it did; nil for no
	next  int32                // behind the node found last
}

// find returns where a node stood that reads as it did, below something hidden or not.
func (e *earlier) find(id string, below bool) (int32, bool) {
	if e.block == nil || e.same == nil || !e.same(id) {
		return 0, false
	}
	at, nodes := e.next, e.block.nodes
	if int(at) >= len(nodes) || nodes[at].id != id {
		var had bool
		if at, had = e.block.find(id); !had {
			return 0, false
		}
	}
	e.next = at + 1
	up := nodes[at].parent
	return at, below == (up >= 0 && nodes[up].has(hidden))
}

// keep adds a node of an earlier block.
func (b *block) keep(was *block, stood, parent int32) {
	at := int32(len(b.nodes))
	if at == 0 {
		b.path = was.path
	}
	n := was.nodes[stood]
	if n.parent, n.depth = parent, 0; parent >= 0 {
		n.depth = b.nodes[parent].depth + 1
	}
	b.nodes = append(b.nodes, n)
	first, _ := slices.BinarySearchFunc(was.linked, stood, func(l linking, node int32) int { return cmp.Compare(l.node, node) })
	for _, l := range was.linked[first:] {
		if l.node != stood {
			break
		}
		b.linked = append(b.linked, linking{l.key, at, l.target})
	}
	if _, is := slices.BinarySearch(was.projects, stood); is {
		b.projects = append(b.projects, at)
	}
}
