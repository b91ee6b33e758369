// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// recent is a map of bounded size that keeps at least the last half of its entries:
// when the young are as many, they become the old and those before are forgotten.
// The zero value is empty and keeps nothing until it has a size.
type recent[V any] struct {
	half       int
	young, old map[merkle.Digest]V
}

func (r *recent[V]) add(d merkle.Digest, v V) {
	if len(r.young) >= r.half {
		r.old, r.young = r.young, nil
	}
	if r.young == nil {
		r.young = map[merkle.Digest]V{}
	}
	r.young[d] = v
}

func (r *recent[V]) get(d merkle.Digest) (V, bool) {
	v, ok := r.young[d]
	if !ok {
		v, ok = r.old[d]
	}
	return v, ok
}

func (r *recent[V]) clear() { r.young, r.old = nil, nil }

// storedBlocks are digests of own blocks and versions that the store is sure to hold,
// with what they link to: those of nodes that commits have put into the memory or
// taken out of it lately. What a commit brings again, be it edited back, moved or
// rolled back, is not written again. It costs a look in memory; a block that was
// forgotten here is written again, and left out when history is packed.
//
// What a batch has is noted when the batch is appended: a journal that loses its end
// loses later batches first. Leaving blocks out of history forgets all.
type storedBlocks struct {
	recent[struct{}]
}

// rememberBlocks is half of how many digests are remembered: 5 MB at most.
const rememberBlocks = 1 << 15

func (s *storedBlocks) has(d merkle.Digest) bool {
	_, ok := s.get(d)
	return ok
}

func (s *storedBlocks) note(d merkle.Digest) {
	s.half = rememberBlocks
	s.add(d, struct{}{})
}

// before notes what a change takes out: it was in the present state. Content that is
// gone is not in the store.
func (s *storedBlocks) before(c *graph.Change) {
	if n := c.Old; n != nil && !graph.IsGone(n) {
		s.note(n.Own)
		if n.Version != n.Own {
			s.note(n.Version)
		}
	}
}

// after notes what a change has put in.
func (s *storedBlocks) after(c *graph.Change) {
	if c.New == nil || graph.IsGone(c.New) {
		return
	}
	if newOwn(c) {
		s.note(c.New.Own)
	}
	if newVersion(c) {
		s.note(c.New.Version)
	}
}

// follow notes a delta whose commit is in the store.
func (s *storedBlocks) follow(delta *graph.Delta) {
	for i := range delta.Changes {
		s.before(&delta.Changes[i])
		s.after(&delta.Changes[i])
	}
}

// absorb takes over what another one has noted.
func (s *storedBlocks) absorb(from *storedBlocks) {
	for _, noted := range []map[merkle.Digest]struct{}{from.old, from.young} {
		for d := range noted {
			s.note(d)
		}
	}
}

// findStored looks into the store for what a delta brings back that is not known to be
// there, as far as can be remembered. Each block is read, which proves it. It is for
// those who go back in history and have read most of that already.
func (m *Memory) findStored(delta *graph.Delta) {
	for i := range delta.Changes[:min(len(delta.Changes), rememberBlocks)] {
		c := &delta.Changes[i]
		if c.New == nil {
			continue
		}
		if own := c.New.Own; newOwn(c) && !m.stored.has(own) {
			if _, err := node.ReadOwn(own, m.block); err == nil {
				m.stored.note(own)
			}
		}
		if version := c.New.Version; newVersion(c) && !m.stored.has(version) {
			if _, err := m.block(version); err == nil {
				m.stored.note(version)
			}
		}
	}
}

// newOwn reports whether a change needs its node's own block.
func newOwn(c *graph.Change) bool { return c.Old == nil || c.Old.Own != c.New.Own }

// newVersion reports whether a change needs the block of its node's version. Without
// children that is the own block.
func newVersion(c *graph.Change) bool {
	return len(c.New.Kids) > 0 && (c.Old == nil || c.Old.Version != c.New.Version)
}

// recentNodes are nodes that the replay of a journal has met lately, by their own
// digests: most blocks that a commit does not bring itself are of such.
type recentNodes struct {
	recent[*node.Node]
}

func (r *recentNodes) follow(delta *graph.Delta) {
	const half, large = 1 << 11, 8 << 10
	r.half = half
	for i := range delta.Changes {
		for _, n := range []*node.Node{delta.Changes[i].Old, delta.Changes[i].New} {
			if n != nil && !graph.IsGone(n) && len(n.Content) <= large {
				r.add(n.Own, n)
			}
		}
	}
}

// block makes a block again, nil for one of no such node.
func (r *recentNodes) block(d merkle.Digest) []byte {
	n, ok := r.get(d)
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
