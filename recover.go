// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// recover brings back the state: the newest image that verifies, then the
// journal behind it; without an image, all of the journal. An operation on
// files that the journal's end announces is then settled.
//
// Damage to the journal leaves the memory at the last commit before it, and
// read-only.
func (m *Memory) recover(ctx context.Context) error {
	if err := m.load(ctx); err != nil {
		return err
	}
	if store.RecoveryOf(m.store).Corrupt == nil || m.View().commit.Seq > 0 || m.memex().unwritable != nil {
		return nil
	}
	began, err := m.newChain(ctx)
	if err != nil {
		m.opts.Log.Error("the damaged history cannot be read at the moment; it is left as it is", "error", err)
	} else if began {
		m.opts.Log.Error("nothing of the history verifies; it is in quarantine, and a new one begins")
	}
	return nil
}

// load is recover but for what to do when there is nothing to bring back.
func (m *Memory) load(ctx context.Context) error {
	defer m.tell()
	pending, err := m.read()
	if errors.Is(err, store.ErrCorrupt) {
		m.opts.Log.Error("the journal is damaged; the memory is read-only at the last good commit", "error", err)
		return nil
	}
	if err == nil {
		err = m.resume(background(ctx))
	}
	if err != nil || pending == nil || m.store.Err() != nil {
		return err
	}
	if err := m.settle(background(ctx), pending); err != nil {
		m.recovered = fmt.Sprintf("an operation on %s was cut short and could not be ended: %v", pathsOf(pending), err)
	}
	m.opts.Log.Warn("an operation was cut short", "files", pathsOf(pending), "done", m.recovered)
	return nil
}

// read brings back what the store holds, and changes nothing. It returns the
// operation that was announced and not ended, nil for none.
func (m *Memory) read() (*intent, error) {
	m.looked.Store(nil)
	m.head.Store(m.emptyView())
	m.operations, m.known, m.stored = operations{}, knownNotes{}, storedBlocks{}
	var from store.Pos
	m.guard.book.Store(nil)
	m.tombs, m.written = nil, nil
	img, err := m.store.LoadImage()
	if err == nil {
		from = img.At
		err = m.loadImage(img)
	}
	if err != nil && !errors.Is(err, store.ErrNoImage) {
		if errors.Is(err, store.ErrUnknownFormat) || errors.Is(err, graph.ErrFormat) {
			return nil, err
		}
		m.opts.Log.Warn("no image verifies; replaying the journal", "error", err)
	}
	if err != nil {
		m.head.Store(m.emptyView())
		m.guard.book.Store(nil)
		m.tombs = nil
		m.snapshots.reset(nil)
		m.drift, m.signed, m.imaged, from = map[string]merkle.Digest{}, "", 0, store.Pos{}
	}
	pending, err := m.replay(from)
	if err == nil {
		m.missHistory()
		m.witness()
	}
	m.doubtBaselines()
	return pending, err
}

func (m *Memory) emptyView() *View { return m.newView(graph.Empty(m.opts.Org), Commit{}) }

// replay applies the journal's commits and marks from a position on. It returns
// the operation that was announced and not ended, nil for none.
func (m *Memory) replay(from store.Pos) (*intent, error) {
	p := player{m: m, blocks: map[merkle.Digest][]byte{}}
	err := m.store.Replay(from, p.record)
	return p.pending, err
}

// player applies records in the order of the journal.
type player struct {
	m       *Memory
	blocks  map[merkle.Digest][]byte // of the batch being read
	nodes   recentNodes
	batch   uint64
	pending *intent // of the batch being read: any batch behind it ends it
}

func (p *player) record(r store.Record) error {
	if r.Batch != p.batch {
		clear(p.blocks)
		p.batch, p.pending = r.Batch, nil
	}
	p.m.replayed += int64(len(r.Data))
	switch r.Kind {
	case store.Block:
		return p.keep(merkle.Sum(r.Data), r.Data)
	case store.Commit:
		return p.commit(r.Data)
	case store.Intent:
		return p.intent(r.Data)
	case store.Mark:
		return p.m.applyMark(r.Data)
	}
	return nil
}

// intent takes an announced operation into account. One of a later version is
// passed over: the next scan reads its files.
func (p *player) intent(data []byte) error {
	in, err := decodeIntent(data, p.load)
	if errors.Is(err, errIntent) {
		p.m.opts.Log.Warn("passed over", "what", err)
		return nil
	}
	p.pending = in
	return err
}

// load finds a block in the batch, or where it came before. One that is nowhere was
// in what is damaged and nobody has read yet.
func (p *player) load(d merkle.Digest) ([]byte, error) {
	if b, ok := p.blocks[d]; ok {
		return b, nil
	}
	if b := p.nodes.block(d); b != nil {
		return b, nil
	}
	b, err := p.m.block(d)
	if err == nil {
		p.m.stored.note(d)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = errors.Join(err, p.m.checkAll(context.Background()))
		if c := store.RecoveryOf(p.m.store).Corrupt; c != nil {
			err = c
		}
	}
	return b, err
}

// keep holds on to a block until the batch is read.
func (p *player) keep(d merkle.Digest, block []byte) error {
	p.blocks[d] = slices.Clone(block)
	p.m.stored.note(d)
	return nil
}

// commit applies one commit and checks that it follows the head.
func (p *player) commit(block []byte) error {
	c, err := graph.DecodeCommit(block, p.load)
	if err != nil {
		return err
	}
	head := p.m.View()
	if err := follows(c, head.commit); err != nil {
		return err
	}
	state, err := head.state.Apply(c, p.load)
	if err != nil {
		return err
	}
	delta := graph.Diff(head.state, state)
	if c.Op != head.commit.Op && len(c.Delta) > 0 && !(p.m.isSession() && c.Kind == graph.KindIngest) {
		p.m.snapshots.before(head)
	}
	for i := range delta.Changes {
		p.m.stored.expectNode(delta.Changes[i].Old)
		p.m.stored.expectNode(delta.Changes[i].New)
	}
	p.nodes.follow(&delta)
	done := summary(c)
	done.Documents = state.DocumentCount()
	p.m.head.Store(head.follow(state, &delta, done))
	p.m.snapshots.follow(state, &delta)
	return nil
}

// errChain is returned when a commit does not follow the one before it.
var errChain = errors.New("the chain of commits is broken")

// follows returns an error unless a commit goes on from head. A merge names head and
// the commit that it took in; its delta is against head.
func follows(c *graph.Commit, head Commit) error {
	if c.Seq != head.Seq+1 {
		return fmt.Errorf("commit %d follows commit %d: %w", c.Seq, head.Seq, errChain)
	}
	switch p := c.Parents; {
	case len(p) == 0 && head.Seq == 0, len(p) == 1 && p[0] == head.Digest:
		return nil
	case len(p) == 2 && slices.Contains(p, head.Digest) && p[0].Compare(p[1]) < 0 && c.Kind == graph.KindMerge:
		return nil
	}
	return fmt.Errorf("commit %d names another parent than commit %d: %w", c.Seq, head.Seq, errChain)
}
