// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"slices"
)

// previousBlock is the block of a document before a change. Its unchanged nodes are
// copied instead of read again, so a note appended to a file of thousands of nodes
// reads one item.
type previousBlock struct {
	block     *block               // nil if there is none
	unchanged func(id string) bool // reports whether a node is unchanged; nil: none is
	next      int32                // index after the node found last; nodes mostly come in order
}

// find returns the index of an unchanged node in the previous block. It reports false
// if the node must be read: it changed, or its inherited hidden flag differs from
// underHidden.
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

// copyNode adds the node at oldIndex of a previous block, with its links and project
// flag.
func (b *block) copyNode(prev *block, oldIndex, parent int32) {
	index := int32(len(b.nodes))
	if index == 0 {
		b.path, b.working = prev.path, prev.working
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
