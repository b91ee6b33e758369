// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// rewriting is a set of blocks to take out of history: announced with the commit that gives the reason, carried
// out, recorded as done. Resume completes it after a crash.
type rewriting struct {
	seq    uint64 // of the commit
	secret bool   // images and quarantine must not hold them either
	drop   map[merkle.Digest]bool
}

// Rewrite makes a commit that changes no state and announces the blocks that history loses, and takes them out.
// A purge also removes every other copy.
func (tx *Tx) Rewrite(ctx context.Context, c graph.Commit, drop map[merkle.Digest]bool) (Commit, error) {
	head := tx.c.Head()
	w := &rewriting{seq: head.Commit.Seq + 1, secret: c.Kind == graph.KindPurge, drop: drop}
	done, err := tx.Append(ctx, head.State, &graph.Delta{}, c, NewMark(markRewriting, w.fields()...))
	if err != nil {
		return done, err
	}
	return done, fault.Wrap(c.Kind, tx.c.opts.Name, fault.ReadOnly, w.carryOut(ctx, tx))
}

// carryOut takes the blocks out of history. If they are secret, it also drops other copies: states in memory,
// images, quarantine.
func (w *rewriting) carryOut(ctx context.Context, tx *Tx) error {
	if err := w.spare(tx.c.Head().State); err != nil {
		return err
	}
	gone := map[merkle.Digest]uint64{}
	for d := range w.drop {
		gone[d] = w.seq
	}
	tx.blocks.Clear()
	tx.c.past.Store(nil) // it may hold what is removed
	if err := tx.c.Store().Rewrite(ctx, gone); err != nil {
		return err
	}
	if w.secret {
		if err := removeCopies(tx); err != nil {
			return err
		}
	}
	return tx.Mark(ctx, NewMark(markRewritten, &w.seq))
}

// spare keeps what the present state has: it may have come back since the announcement.
func (w *rewriting) spare(state *graph.State) error {
	for n := range state.All() {
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

// removeCopies makes an image of the present state alone and removes all other copies of the history.
func removeCopies(tx *Tx) error {
	c := tx.c
	next := *c.Head()
	next.Derived = c.opts.Deriver.Derive(&next, nil) // an index may keep words of removed text
	for i, e := range c.opts.Ledgers.list {
		if e.Release != nil {
			next.set(i, e.Release(&next))
		}
	}
	c.head.Store(&next)
	if err := tx.images.Write(); err != nil {
		return err
	}
	return c.removeOlderCopies(next.Commit.Seq)
}

// removeOlderCopies removes the images before that of commit seq, and the damaged files in quarantine.
func (c *Chain) removeOlderCopies(seq uint64) error {
	if err := c.Store().RemoveImages(seq); err != nil {
		return err
	}
	entries, err := c.opts.FS.ReadDir(store.Quarantine)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err == nil && !e.IsDir() {
			err = c.opts.FS.Remove(path.Join(store.Quarantine, e.Name()))
		}
	}
	return errors.Join(err, c.opts.FS.SyncDir(store.Quarantine))
}

// Resume carries out a rewriting that a crash interrupted. An image of a purge proves that the rewriting before
// it was done; the steps after the image are repeated.
func (tx *Tx) Resume(ctx context.Context) error {
	c := tx.c
	switch head := c.Head().Commit; {
	case c.Store().Err() != nil:
		return nil
	case tx.unfinished != nil:
		w := tx.unfinished
		if err := w.carryOut(ctx, tx); err != nil {
			return err
		}
		c.opts.Log.Warn("completed an interrupted rewriting of history", "commit", w.seq)
		return nil
	case head.Kind == graph.KindPurge:
		return c.removeOlderCopies(head.Seq)
	}
	return nil
}

// fields are those of the mark that announces the rewriting: seq, secret, digests.
func (w *rewriting) fields() []any {
	secret := func(c *merkle.Codec) {
		is := 0
		if w.secret {
			is = 1
		}
		w.secret = c.Number(&is, math.MaxInt) && is != 0
	}
	return []any{&w.seq, secret, merkle.Entries(w.drop, merkle.Digest.Compare, func(d *merkle.Digest, in *bool, c *merkle.Codec) {
		c.Fields(d)
		*in = true
	})}
}

// Droppable lists the blocks of a set of own digests and versions: themselves and the chunks of large ones, if
// history still has them, without chunks of what stays.
func (c *Chain) Droppable(goes, stays map[merkle.Digest]bool) (map[merkle.Digest]bool, error) {
	drop, chunks := map[merkle.Digest]bool{}, map[merkle.Digest]bool{}
	for d := range goes {
		links, err := c.chunks(d)
		if errors.Is(err, graph.ErrGone) || errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		drop[d] = true
		for _, l := range links {
			chunks[l] = true
		}
	}
	if len(chunks) > 0 {
		for d := range stays {
			links, err := c.chunks(d)
			if err != nil && !errors.Is(err, graph.ErrGone) && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			for _, l := range links {
				delete(chunks, l)
			}
		}
	}
	maps.Copy(drop, chunks)
	return drop, nil
}

// chunks returns the blocks that an own block is cut into; a version has none.
func (c *Chain) chunks(d merkle.Digest) ([]merkle.Digest, error) {
	block, err := c.Block(d)
	if err != nil {
		return nil, fmt.Errorf("block %s: %w", d, err)
	}
	return node.Links(block, c.Block)
}
