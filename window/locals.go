// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"
	"sync/atomic"
)

// locals says where the nodes of a large block stand, or stood in an earlier block of
// the same document: most of them still do, or all are behind what came or went.
type locals struct {
	at     map[string]int32
	size   int          // nodes of the block that it was made of
	missed atomic.Int32 // how often it did not help
}

func newLocals(nodes []branch) *locals {
	l := &locals{at: make(map[string]int32, len(nodes)), size: len(nodes)}
	for i := range nodes {
		l.at[nodes[i].id] = int32(i)
	}
	return l
}

// find returns the number of the node with an id.
func (b *block) find(id string) (int32, bool) {
	const few, often = 32, 64
	is := func(n branch) bool { return n.id == id }
	if len(b.nodes) <= few {
		at := slices.IndexFunc(b.nodes, is)
		return int32(at), at >= 0
	}
	l := b.locals.Load()
	if l == nil || l.missed.Load() > often {
		l = newLocals(b.nodes)
		b.locals.Store(l)
	}
	if was, ok := l.at[id]; ok {
		for _, at := range [...]int32{was, was + int32(len(b.nodes)-l.size)} {
			if at >= 0 && int(at) < len(b.nodes) && b.nodes[at].id == id {
				return at, true
			}
		}
	}
	l.missed.Add(1)
	for i := len(b.nodes) - 1; i >= 0; i-- { // what is new is mostly at the end
		if b.nodes[i].id == id {
			return int32(i), true
		}
	}
	return -1, false
}
