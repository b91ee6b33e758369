// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/lru"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// storedBlocks are digests of own blocks that commits have put into the memory or taken out of it lately: true for those that the store is proved to hold,
// with what they link to, because they were appended, replayed as records or read.
// What a commit brings again, be it edited back, moved or rolled back, is not written
// again. It costs a look in memory, and the first time a read where only the present
// state has shown it: that may come from an image, and the store lack it. A block that
// was forgotten here is written again, and left out when history is packed.
//
// What a batch has is proved when the batch is appended: a journal that loses its end
// loses later batches first. Leaving blocks out of history forgets all.
type storedBlocks struct {
	lru.Map[merkle.Digest, bool]
}

// rememberBlocks is half of how many digests are remembered: 5 MB at most.
const rememberBlocks = 1 << 15

// has reports whether the store is proved to hold a block.
func (s *storedBlocks) has(d merkle.Digest) bool {
	proved, _ := s.Peek(d)
	return proved
}

// expects reports whether it is worth a look whether the store holds a block.
func (s *storedBlocks) expects(d merkle.Digest) bool {
	_, met := s.Peek(d)
	return met
}

// note notes a block that the store holds.
func (s *storedBlocks) note(d merkle.Digest) {
	s.Size = rememberBlocks
	s.Set(d, true)
}

// expect notes a block that the store should hold.
func (s *storedBlocks) expect(d merkle.Digest) {
	s.Size = rememberBlocks
	s.Set(d, s.has(d))
}

// expectNode notes the blocks of a node of some state; content that is gone is not in
// the store.
func (s *storedBlocks) expectNode(n *node.Node) {
	if n != nil && !graph.IsGone(n) {
		s.expect(n.Own)
	}
}

// after notes what a change has put into a batch, or found in the store.
func (s *storedBlocks) after(c *graph.Change) {
	if newOwn(c) && !graph.IsGone(c.New) {
		s.note(c.New.Own)
	}
}

// absorb takes over what another one has noted.
func (s *storedBlocks) absorb(from *storedBlocks) {
	for d, proved := range from.All() {
		if s.expect(d); proved {
			s.note(d)
		}
	}
}

// expectStored is for those who go back in history: what a delta brings was there.
func (m *Memory) expectStored(delta *graph.Delta) {
	for i := range delta.Changes[:min(len(delta.Changes), rememberBlocks)] {
		m.stored.expectNode(delta.Changes[i].New)
	}
}

// inStore reports whether the store is known to hold a block. One that it should hold
// is read, with what it links to, which proves it.
func (m *Memory) inStore(d merkle.Digest) bool {
	if m.stored.has(d) || !m.stored.expects(d) {
		return m.stored.has(d)
	}
	_, err := m.chunks(d)
	if err == nil {
		m.stored.note(d)
	}
	return err == nil
}

// newOwn reports whether a change needs its node's own block.
func newOwn(c *graph.Change) bool {
	return c.New != nil && (c.Old == nil || c.Old.Own != c.New.Own)
}

// recentNodes are nodes that the replay of a journal has met lately, by their own
// digests: most blocks that a commit does not bring itself are of such.
type recentNodes struct {
	lru.Map[merkle.Digest, *node.Node]
}

func (r *recentNodes) follow(delta *graph.Delta) {
	const size, large = 1 << 11, 8 << 10
	r.Size = size
	for i := range delta.Changes {
		for _, n := range []*node.Node{delta.Changes[i].Old, delta.Changes[i].New} {
			if n != nil && !graph.IsGone(n) && len(n.Content) <= large {
				r.Set(n.Own, n)
			}
		}
	}
}

// block makes a block again, nil for one of no such node.
func (r *recentNodes) block(d merkle.Digest) []byte {
	n, ok := r.Peek(d)
	if !ok {
		return nil
	}
	var block []byte
	own, err := n.OwnBlock(func(_ merkle.Digest, b []byte) error {
		block = b // the last one is its own; content of this size is not cut into others
		return nil
	})
	if err != nil || own != d {
		return nil
	}
	return block
}
