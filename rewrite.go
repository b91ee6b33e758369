// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// rewriting is blocks to be left out of history: announced with the commit that
// says why, carried out, noted as done. A crash between is made up for by the
// next opening.
type rewriting struct {
	seq    uint64 // of the commit
	secret bool   // images and quarantine must not hold them either
	drop   map[merkle.Digest]bool
}

// rewrite makes a commit that changes no state, which announces what history is
// to be without, and carries that out.
func (m *Memory) rewrite(ctx context.Context, kind, message string, drop map[merkle.Digest]bool) (Commit, error) {
	head := m.View()
	w := &rewriting{seq: head.commit.Seq + 1, secret: kind == graph.KindPurge, drop: drop}
	c, err := m.append(ctx, head.state, &graph.Delta{}, m.entry(ctx, kind, message, m.opts.Now().UnixMilli()), w.mark())
	if err != nil {
		return c, err
	}
	return c, fail(kind, m.state, ReadOnly, m.carryOut(ctx, w))
}

// carryOut leaves the blocks out of history. Where they are secret it also drops
// what else may hold them: states in memory, images, what was put aside.
func (m *Memory) carryOut(ctx context.Context, w *rewriting) error {
	if err := w.spare(m.View()); err != nil {
		return err
	}
	chosen := func(d merkle.Digest, _ []byte) bool { return w.drop[d] }
	m.stored.Clear()
	m.looked.Store(nil) // it may hold what goes
	if _, err := store.Rewrite(ctx, m.store, w.seq, chosen); err != nil {
		return err
	}
	if w.secret {
		if err := m.forgetCopies(); err != nil {
			return err
		}
	}
	return m.mark(ctx, rewrittenMark(w.seq))
}

// spare takes out what the present state has: it may have come back since.
func (w *rewriting) spare(v *View) error {
	for n := range v.state.All() {
		delete(w.drop, n.Own)
		delete(w.drop, n.Version)
		if len(n.Content) <= merkle.ChunkSize {
			continue
		}
		if _, err := n.OwnBlock(func(d merkle.Digest, _ []byte) error {
			delete(w.drop, d)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// forgetCopies makes an image of the present state alone and removes all other
// copies of what history had.
func (m *Memory) forgetCopies() error {
	v := m.View()
	m.head.Store(m.newView(v.state, v.commit)) // an index may keep words of what has left
	m.snapshots.release()
	if err := m.writeImage(); err != nil {
		return err
	}
	if err := store.RemoveImages(m.store, v.commit.Seq); err != nil {
		return err
	}
	return m.emptyQuarantine()
}

const quarantine = "quarantine"

// emptyQuarantine removes the damaged files that were put aside.
func (m *Memory) emptyQuarantine() error {
	entries, err := m.fs.ReadDir(quarantine)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err == nil && !e.IsDir() {
			err = m.fs.Remove(path.Join(quarantine, e.Name()))
		}
	}
	return errors.Join(err, m.fs.SyncDir(quarantine))
}

// resume carries out what a crash has left announced. An image of a purge stands
// for the rewriting before it; what came after it is done again.
func (m *Memory) resume(ctx context.Context) error {
	switch c := m.View().commit; {
	case m.store.Err() != nil:
		return nil
	case m.unfinished != nil:
		w := m.unfinished
		if err := m.carryOut(ctx, w); err != nil {
			return err
		}
		m.opts.Log.Warn("a rewriting of history was cut short; it is done", "commit", w.seq)
		return nil
	case c.Kind == graph.KindPurge:
		return store.RemoveImages(m.store, c.Seq)
	}
	return nil
}

// mark announces the rewriting: [kind, seq, secret, digests].
func (w *rewriting) mark() []byte {
	b := merkle.AppendList(nil, 4)
	b = merkle.AppendText(b, markRewriting)
	b = merkle.AppendUint(b, w.seq)
	b = merkle.AppendUint(b, uint64(boolInt(w.secret)))
	b = merkle.AppendList(b, len(w.drop))
	for _, d := range slices.SortedFunc(maps.Keys(w.drop), func(a, b merkle.Digest) int { return bytes.Compare(a[:], b[:]) }) {
		b = merkle.AppendLink(b, d)
	}
	return b
}

func readRewriting(r *merkle.Reader) *rewriting {
	w := &rewriting{drop: map[merkle.Digest]bool{}}
	w.seq, w.secret = r.Uint(), r.Uint() != 0
	for range r.List() {
		if w.drop[r.Link()] = true; r.Err() != nil {
			break
		}
	}
	return w
}

// rewrittenMark says that a rewriting is done: [kind, seq].
func rewrittenMark(seq uint64) []byte {
	b := merkle.AppendList(nil, 2)
	b = merkle.AppendText(b, markRewritten)
	return merkle.AppendUint(b, seq)
}

// dropped lists the blocks that a set of own digests and versions stands for:
// themselves and the chunks of large ones, if history still has them. Chunks of
// what stays are not among them.
func (m *Memory) dropped(goes, stays map[merkle.Digest]bool) (map[merkle.Digest]bool, error) {
	drop, chunks := map[merkle.Digest]bool{}, map[merkle.Digest]bool{}
	for d := range goes {
		links, err := m.chunks(d)
		if errors.Is(err, graph.ErrGone) || errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		drop[d] = true
		for _, c := range links {
			chunks[c] = true
		}
	}
	if len(chunks) > 0 {
		for d := range stays {
			links, err := m.chunks(d)
			if err != nil && !errors.Is(err, graph.ErrGone) && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			for _, c := range links {
				delete(chunks, c)
			}
		}
	}
	for c := range chunks {
		drop[c] = true
	}
	return drop, nil
}

// chunks returns the blocks that an own block is cut into; a version is cut into
// none.
func (m *Memory) chunks(d merkle.Digest) ([]merkle.Digest, error) {
	block, err := m.block(d)
	if err != nil {
		return nil, fmt.Errorf("block %s: %w", d, err)
	}
	return node.Links(block, m.block)
}
