// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"
	"sync/atomic"
)

// localIndex maps ids to node positions within a large block. It may have been built
// from an earlier block of the same document, where most nodes have kept their position
// or have been shifted by an insertion or deletion before them.
type localIndex struct {
	positions map[string]int32
	nodes     int          // number of nodes when it was built
	misses    atomic.Int32 // lookups that it could not answer
}

// find returns the index of the node with an id.
func (b *block) find(id string) (int32, bool) {
	const maxScan, maxMisses = 32, 64
	matches := func(n nodeInfo) bool { return n.id == id }
	if len(b.nodes) <= maxScan {
		index := slices.IndexFunc(b.nodes, matches)
		return int32(index), index >= 0
	}
	table := b.index.Load()
	if table == nil || table.misses.Load() > maxMisses {
		table = &localIndex{positions: make(map[string]int32, len(b.nodes)), nodes: len(b.nodes)}
		for i := range b.nodes {
			table.positions[b.nodes[i].id] = int32(i)
		}
		b.index.Store(table)
	}
	if position, ok := table.positions[id]; ok {
		for _, index := range [...]int32{position, position + int32(len(b.nodes)-table.nodes)} {
			if index >= 0 && int(index) < len(b.nodes) && b.nodes[index].id == id {
				return index, true
			}
		}
	}
	table.misses.Add(1)
	for i := len(b.nodes) - 1; i >= 0; i-- { // new nodes are mostly at the end
		if b.nodes[i].id == id {
			return int32(i), true
		}
	}
	return -1, false
}
