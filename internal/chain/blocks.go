// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// knownBlocks remembers own blocks that recent commits added or removed. The value is true if the store is
// proved to hold the block and those it links to, because they were appended, replayed or read.
//
// A block that a commit brings back, by an edit, a move or a rollback, is then not written again. Lookups are
// in memory. A block known only from the present state is read once to confirm that the store has it: the state
// may come from an image. A forgotten block is written again; packing drops the copy.
//
// The blocks of a batch count as proved once it is appended: a journal that loses its
// end loses later batches first. Taking blocks out of history forgets all.
type knownBlocks struct {
	bound.Map[merkle.Digest, bool]
}

// maxKnownBlocks is half the number of digests remembered: 5 MB at most.
const maxKnownBlocks = 1 << 15

// has reports whether the store is proved to hold a block.
func (s *knownBlocks) has(d merkle.Digest) bool {
	proved, _ := s.Peek(d)
	return proved
}

// note records a block that the store holds.
func (s *knownBlocks) note(d merkle.Digest) {
	s.Size = maxKnownBlocks
	s.Set(d, true)
}

// expect records a block that the store should hold.
func (s *knownBlocks) expect(d merkle.Digest) {
	s.Size = maxKnownBlocks
	s.Set(d, s.has(d))
}

// expectNode is expect for the block of a node; content that is gone is not in the store.
func (s *knownBlocks) expectNode(n *node.Node) {
	if n != nil && !graph.IsGone(n) {
		s.expect(n.Own)
	}
}

// Expect records that the store should hold what a delta brings back from history.
func (tx *Tx) Expect(delta *graph.Delta) {
	for i := range delta.Changes[:min(len(delta.Changes), maxKnownBlocks)] {
		tx.blocks.expectNode(delta.Changes[i].New)
	}
}

// stored reports whether the store is known to hold a block. One that it should hold
// is read once, with the blocks it links to, which proves it.
func (s *knownBlocks) stored(c *Chain, d merkle.Digest) bool {
	proved, known := s.Peek(d)
	if proved || !known {
		return proved
	}
	_, err := c.chunks(d)
	if err == nil {
		s.note(d)
	}
	return err == nil
}

// newOwn reports whether a change needs its node's own block.
func newOwn(c *graph.Change) bool {
	return c.New != nil && (c.Old == nil || c.Old.Own != c.New.Own)
}

// recentNodes keeps the nodes of recently replayed commits by own digest: most blocks that a commit needs and
// does not contain are theirs.
type recentNodes struct {
	bound.Map[merkle.Digest, *node.Node]
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

// block encodes the block of a kept node again; nil if there is none.
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
