// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "bytes"

// BlocksSince passes the blocks of the map that old lacks to emit, as Blocks does. Together with the
// blocks of old they are all blocks of the map. Each block is passed once, and none for a map
// with the same root. It takes O(changes log n) if one of the two maps was made by edits of the
// other.
func (m Map[L]) BlocksSince(old Map[L], emit func(Digest, []byte) error) error {
	switch {
	case m.Root() == old.Root():
		return nil
	case m.root == nil || old.root == nil:
		return m.Blocks(emit)
	}
	w := sinceWalk[L]{old: old, out: emit, had: map[Digest]bool{}}
	return w.node(old.root, m.root)
}

// sinceWalk walks the nodes of a map that are not in an older one.
type sinceWalk[L Leaf] struct {
	old      Map[L]
	out      func(Digest, []byte) error
	had      map[Digest]bool // groups of the nodes of old that were visited
	buf, was []byte
}

// node passes the blocks of the subtree b that the old map lacks; a is the subtree at the same
// place in the old map, nil for none.
func (w *sinceWalk[L]) node(a, b *hnode[L]) (err error) {
	if a != nil && a.digest == b.digest {
		return nil
	}
	kids := b.kids
	for slots := b.kidMap; slots != 0; slots &= slots - 1 {
		var in *hnode[L]
		if a != nil {
			in = a.kid(slots & -slots)
		}
		if err := w.node(in, kids[0]); err != nil {
			return err
		}
		kids = kids[1:]
	}
	for _, l := range b.leaves {
		if err := w.leaf(l); err != nil {
			return err
		}
	}
	if a != nil {
		if w.buf, err = a.appendBlock(w.buf[:0], w.note); err != nil {
			return err
		}
	}
	if w.buf, err = b.appendBlock(w.buf[:0], w.group); err != nil {
		return err
	}
	return w.out(b.digest, w.buf)
}

// note records a group of an old node.
func (w *sinceWalk[L]) note(d Digest, _ []byte) error {
	w.had[d] = true
	return nil
}

// group passes a group, unless a node of old that was visited has it.
func (w *sinceWalk[L]) group(d Digest, block []byte) error {
	if w.had[d] {
		return nil
	}
	return w.out(d, block)
}

// leaf passes a leaf that is not in the old map, at any depth.
func (w *sinceWalk[L]) leaf(l L) error {
	if was, ok := w.old.Get(l.Key()); ok {
		w.was, w.buf = was.AppendCanonical(w.was[:0]), l.AppendCanonical(w.buf[:0])
		if bytes.Equal(w.was, w.buf) {
			return nil
		}
	}
	return emitLeaf(w.buf, l, w.out)
}
