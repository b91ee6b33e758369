// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Pending is an operation on files that the end of the journal announces but does not complete.
type Pending struct {
	Data []byte       // the intent
	Load graph.Loader // finds the blocks of its batch, and those before
}

// reset forgets the moment and everything derived from it.
func (tx *Tx) reset() {
	c := tx.c
	c.past.Store(nil)
	c.head.Store(c.emptyMoment())
	c.opts.Published(nil)
	*tx = Tx{c: c, signer: tx.signer, witness: witnessing{c: c}, images: Images{c: c, failed: tx.images.failed}}
}

// Load reads what the store holds and changes nothing: the newest image that verifies,
// then the journal after it; without an image, all of the journal. It returns the
// operation that was announced and not ended, nil for none. Errors: store.ErrCorrupt, with
// the head at the last good commit; store.ErrUnknownFormat, graph.ErrFormat.
func (tx *Tx) Load() (*Pending, error) {
	c := tx.c
	tx.reset()
	var from store.Pos
	img, err := c.Store().LoadImage()
	if err == nil {
		var at *Moment
		if at, err = c.loadImage(img); err == nil {
			from, tx.images.newest = img.At, at.Commit.Seq
			c.head.Store(at)
		}
	}
	if err != nil && !errors.Is(err, store.ErrNoImage) {
		if errors.Is(err, store.ErrUnknownFormat) || errors.Is(err, graph.ErrFormat) {
			return nil, err
		}
		c.opts.Log.Warn("no image verifies; replaying the journal", "error", err)
	}
	p := player{tx: tx, at: c.Head(), blocks: map[merkle.Digest][]byte{}}
	err = c.Store().Replay(from, p.record)
	if err == nil {
		c.head.Store(p.at)
		tx.witness.checkLost()
		tx.witness.report()
	}
	at := *p.at
	c.verify(&at)
	checkLog(c, &at)
	c.head.Store(&at)
	return p.pending, err
}

// player applies records in the order of the journal.
type player struct {
	tx      *Tx
	at      *Moment                  // after the records so far
	blocks  map[merkle.Digest][]byte // of the batch being read
	nodes   recentNodes
	batch   uint64
	pending *Pending // of the batch being read: the next batch ends it
}

func (p *player) record(r store.Record) error {
	if r.Batch != p.batch {
		clear(p.blocks)
		p.batch, p.pending = r.Batch, nil
	}
	p.tx.images.behind += int64(len(r.Data))
	switch r.Kind {
	case store.Block:
		d := merkle.Sum(r.Data)
		p.blocks[d] = slices.Clone(r.Data) // until the batch is read
		p.tx.blocks.note(d)
	case store.Commit:
		return p.commit(r.Data)
	case store.Intent:
		p.pending = &Pending{Data: slices.Clone(r.Data), Load: p.load}
	case store.Mark:
		at := *p.at
		err := p.tx.applyMark(&at, r.Data)
		p.at = &at
		return err
	}
	return nil
}

// load finds a block in the batch or before it. A block that is nowhere was in damaged data that was not read
// yet.
func (p *player) load(d merkle.Digest) ([]byte, error) {
	if b, ok := p.blocks[d]; ok {
		return b, nil
	}
	if b := p.nodes.block(d); b != nil {
		return b, nil
	}
	b, err := p.tx.c.Block(d)
	if err == nil {
		p.tx.blocks.note(d)
	}
	if errors.Is(err, store.ErrNotFound) {
		_, checked := p.tx.c.Store().Check(context.Background(), func(store.Corruption) {})
		err = errors.Join(err, checked)
		if c := p.tx.c.Store().Recovery().Corrupt; c != nil {
			err = c
		}
	}
	return b, err
}

// commit applies one commit and checks that it follows the one before.
func (p *player) commit(block []byte) error {
	c, err := graph.DecodeCommit(block, p.load)
	if err != nil {
		return err
	}
	if err := Follows(c, p.at.Commit); err != nil {
		return err
	}
	state, err := p.at.State.Apply(c, p.load)
	if err != nil {
		return err
	}
	delta := graph.Diff(p.at.State, state)
	for i := range delta.Changes {
		p.tx.blocks.expectNode(delta.Changes[i].Old)
	}
	p.nodes.follow(&delta)
	p.at = p.tx.c.follow(&Change{Before: p.at, Commit: c, After: state, Delta: &delta})
	return nil
}

// Follows returns an error unless a commit follows head. A merge names head and the commit that it merges; its
// delta is against head.
func Follows(c *graph.Commit, head Commit) error {
	if c.Seq != head.Seq+1 {
		return fmt.Errorf("commit %d follows commit %d: %w", c.Seq, head.Seq, ErrBroken)
	}
	switch p := c.Parents; {
	case len(p) == 0 && head.Seq == 0, len(p) == 1 && p[0] == head.Digest:
		return nil
	case len(p) == 2 && slices.Contains(p, head.Digest) && p[0].Compare(p[1]) < 0 && c.Kind == graph.KindMerge:
		return nil
	}
	return fmt.Errorf("commit %d names another parent than commit %d: %w", c.Seq, head.Seq, ErrBroken)
}
