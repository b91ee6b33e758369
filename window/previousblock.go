// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
)

// earlier is the last block of a document of which some nodes read as they did: a note
// at the end of a file of thousands reads one item.
type previousBlock struct {
	block     *block               // nil for none
	unchanged func(id string) bool // whether a node reads as it did; nil for no
	next      int32                // behind the node found last
}

// find returns where a node stood that reads as it did, below something hidden or not.
func (e *previousBlock) find(id string, underHidden bool) (int32, bool) {
	if e.block == nil || e.unchanged == nil || !e.unchanged(id) {
		return 0, false
	}
	index, nodes := e.next, e.block.nodes
	if int(index) >= len(nodes) || nodes[index].id != id {
		var found bool
		if index, found = e.block.find(id); !found {
			return 0, false
		}
	}
	e.next = index + 1
	parent := nodes[index].parent
	return index, underHidden == (parent >= 0 && nodes[parent].has(hidden))
}

// keep adds a node of an earlier block.
func (b *block) copyNode(prev *block, oldIndex, parent int32) {
	index := int32(len(b.nodes))
	if index == 0 {
		b.path = prev.path
	}
	n := prev.nodes[oldIndex]
	if n.parent, n.depth = parent, 0; parent >= 0 {
		n.depth = b.nodes[parent].depth + 1
	}
	b.nodes = append(b.nodes, n)
	first, _ := slices.BinarySearchFunc(prev.links, oldIndex, func(l link, node int32) int { return cmp.Compare(l.node, node) })
	for _, l := range prev.links[first:] {
		if l.node != oldIndex {
			break
		}
		b.links = append(b.links, link{l.key, index, l.target})
	}
	if _, project := slices.BinarySearch(prev.projects, oldIndex); project {
		b.projects = append(b.projects, index)
	}
}
