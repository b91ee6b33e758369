// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"slices"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Tx is the writer of a chain between Begin and End. One goroutine has it at a time;
// none of its methods may be called by another.
type Tx struct {
	c          *Chain
	held       *Moment    // the moment in the store if the head has more, see Hold; else nil
	unfinished *rewriting // announced in the journal and not recorded as done; nil for none
	signer     signer
	witness    witnessing
	images     Images
	ops        ops
	blocks     knownBlocks
}

// Images returns what writes the images of the chain.
func (tx *Tx) Images() *Images { return &tx.images }

// End lets the next writer begin.
func (tx *Tx) End() { tx.c.mu.Unlock() }

// LastStored returns the moment in the store if the head has more that the store could not take, else nil.
func (tx *Tx) LastStored() *Moment { return tx.held }

// Commit makes a state durable and then the present one, together with marks. c has kind, author, session, op,
// time and message; the rest is filled in. An empty delta makes no commit: only the marks are kept, and what
// was reread takes effect.
func (tx *Tx) Commit(ctx context.Context, state *graph.State, delta *graph.Delta, c graph.Commit, marks ...[]byte) (Commit, error) {
	if delta.Empty() {
		head := tx.c.Head()
		next := *head
		next.State = state
		next.Derived = tx.c.opts.Deriver.Follow(head.Derived, &next, delta)
		tx.c.head.Store(&next)
		return Commit{}, fault.Wrap("commit", tx.c.opts.Name, fault.ReadOnly, tx.Mark(ctx, marks...))
	}
	return tx.Append(ctx, state, delta, c, marks...)
}

// Append is Commit for a commit that may change nothing.
func (tx *Tx) Append(ctx context.Context, state *graph.State, delta *graph.Delta, c graph.Commit, marks ...[]byte) (Commit, error) {
	var s Steps
	if err := tx.Add(ctx, &s, state, delta, c, marks...); err != nil {
		return Commit{}, fault.Wrap("commit", tx.c.opts.Name, fault.Other, err)
	}
	done, err := tx.Publish(ctx, &s)
	if len(done) == 0 {
		return Commit{}, err
	}
	return done[0], err
}

// Steps are commits that become durable together.
type Steps struct {
	batch journal
	list  []step
}

// Defer lets Publish return before the steps are synced, see store.Batch.Defer.
func (s *Steps) Defer() { s.batch.Defer() }

// Head returns the moment that the last step makes; the chain's head if there is none.
func (s *Steps) Head(tx *Tx) *Moment {
	if len(s.list) == 0 {
		return tx.c.Head()
	}
	return s.list[len(s.list)-1].after
}

// step is a commit that is not durable yet.
type step struct {
	after *Moment
	delta *graph.Delta
	marks [][]byte
}

// Add appends a commit to steps. Its fields are as of Commit.
func (tx *Tx) Add(ctx context.Context, s *Steps, state *graph.State, delta *graph.Delta, c graph.Commit, marks ...[]byte) error {
	before := s.Head(tx)
	c.Seq = before.Commit.Seq + 1
	if c.Seq > 1 {
		c.Parents = append(slices.Clip(c.Parents), before.Commit.Digest) // a merge has the commit it takes in
		slices.SortFunc(c.Parents, merkle.Digest.Compare)
		c.Time = max(c.Time, before.Commit.Time.UnixMilli())
	}
	Legible(&c)
	c.State = state.Root()
	c.Delta, c.Lineage = delta.Records(), delta.Lineage
	if err := s.batch.addDelta(tx, delta); err != nil {
		return err
	}
	block, err := c.Encode(s.batch.addBlock)
	if err != nil {
		return err
	}
	s.batch.Add(store.Commit, block)
	change := &Change{Before: before, Commit: &c, After: state, Delta: delta, Marks: marks}
	marks = slices.Clip(marks)
	for _, e := range tx.c.opts.Ledgers.list {
		if e.Propose != nil {
			marks = append(marks, e.Propose(change)...)
		}
	}
	done := Summary(&c)
	marks = tx.signer.withHead(ctx, done, before, before.log.With(done), marks)
	for _, mark := range marks {
		s.batch.Add(store.Mark, mark)
	}
	s.list = append(s.list, step{after: tx.c.follow(change), delta: delta, marks: marks})
	return nil
}

// follow returns the moment after a change, its marks not applied.
func (c *Chain) follow(change *Change) *Moment {
	done := Summary(change.Commit)
	done.Documents = change.After.DocumentCount()
	m := &Moment{
		State: change.After, Commit: done,
		Signed: change.Before.Signed, log: change.Before.log.With(done),
		values: slices.Clone(change.Before.values),
	}
	for i, e := range c.opts.Ledgers.list {
		if e.Follow != nil {
			m.values[i] = e.Follow(change)
		}
	}
	m.Derived = c.opts.Deriver.Follow(change.Before.Derived, m, change.Delta)
	return m
}

// Publish makes steps durable in one write, and then makes each the present moment, in order. It returns their
// commits.
func (tx *Tx) Publish(ctx context.Context, s *Steps) ([]Commit, error) {
	c := tx.c
	if _, err := c.Store().Append(ctx, &s.batch.Batch); err != nil {
		return nil, fault.Wrap("commit", c.opts.Name, fault.ReadOnly, err)
	}
	tx.images.behind += s.batch.size
	for d, proved := range s.batch.known.All() {
		if tx.blocks.expect(d); proved {
			tx.blocks.note(d)
		}
	}
	var done []Commit
	for _, step := range s.list {
		at := step.after
		done = append(done, at.Commit)
		c.Store().SetHead(store.Head{Seq: at.Commit.Seq, Commit: at.Commit.Digest})
		tx.ops.add(at.Commit.Op, at.Commit.Seq)
		err := tx.applyMarks(at, step.marks...)
		c.head.Store(at)
		c.opts.Published(step.delta)
		if err != nil {
			return done, fault.Wrap("commit", c.opts.Name, fault.Other, err)
		}
	}
	tx.witness.report()
	tx.images.beside()
	for i, commit := range done {
		if c.opts.Committed != nil {
			commit.Paths = s.list[i].delta.Paths
			c.opts.Committed(commit)
		}
		c.opts.Log.Info("committed", "commit", commit.Seq, "kind", commit.Kind, "what", commit.Message, "changes", commit.Changes)
	}
	return done, nil
}

// Mark makes marks durable and applies them.
func (tx *Tx) Mark(ctx context.Context, marks ...[]byte) error {
	if len(marks) == 0 {
		return nil
	}
	var b store.Batch
	for _, mark := range marks {
		b.Add(store.Mark, mark)
	}
	if _, err := tx.c.Store().Append(context.WithoutCancel(ctx), &b); err != nil {
		return err
	}
	return tx.Assume(marks...)
}

// Attest is Mark for marks that change what the signed head vouches for: the head is signed again.
func (tx *Tx) Attest(ctx context.Context, marks ...[]byte) error {
	head := tx.c.Head()
	if tx.c.opts.Signer != nil && head.Commit.Seq > 0 && len(marks) > 0 {
		marks = tx.signer.withHead(ctx, head.Commit, head, head.log, slices.Clip(marks))
	}
	return tx.Mark(ctx, marks...)
}

// Assume applies marks without storing them: they hold until the chain is loaded again.
func (tx *Tx) Assume(marks ...[]byte) error {
	next := *tx.c.Head()
	err := tx.applyMarks(&next, marks...)
	tx.c.head.Store(&next)
	return err
}

// AppendBatch makes records durable in a batch of their own: blocks that no commit names
// yet, or the intent of an operation, which Load reports as pending until another batch
// follows.
func (tx *Tx) AppendBatch(ctx context.Context, b *store.Batch) error {
	tx.images.behind += b.Size()
	_, err := tx.c.Store().Append(context.WithoutCancel(ctx), b)
	return err
}

// Hold makes a state that the store cannot take the present one. The commit stays the last that the store has.
func (tx *Tx) Hold(state *graph.State, delta *graph.Delta) {
	if delta.Empty() && len(delta.Reread) == 0 {
		return
	}
	head := tx.c.Head()
	if tx.held == nil && !delta.Empty() {
		tx.held = head
	}
	next := *head
	next.State, next.values = state, slices.Clone(head.values)
	for i, e := range tx.c.opts.Ledgers.list {
		if e.Restore != nil {
			next.values[i] = e.Follow(&Change{Before: head, After: state, Delta: delta})
		}
	}
	next.Derived = tx.c.opts.Deriver.Follow(head.Derived, &next, delta)
	tx.c.head.Store(&next)
	tx.c.opts.Published(delta)
}

// journal collects what becomes durable in one write.
type journal struct {
	store.Batch
	size  int64
	known knownBlocks // those that are in the store once the batch is
}

func (j *journal) addBlock(_ merkle.Digest, block []byte) error {
	j.Add(store.Block, block)
	j.size += int64(len(block))
	return nil
}

// addDelta adds the own blocks of a delta that neither the store nor the batch is known
// to hold. Versions follow from the deltas of commits, and are not written.
func (j *journal) addDelta(tx *Tx, delta *graph.Delta) error {
	j.Grow(estimate(delta))
	for i := range delta.Changes {
		tx.blocks.expectNode(delta.Changes[i].Old)
	}
	for i := range delta.Changes {
		c := &delta.Changes[i]
		if !newOwn(c) {
			continue
		}
		if own := c.New.Own; !j.known.has(own) && !tx.blocks.stored(tx.c, own) {
			if err := c.New.Blocks(j.addBlock); err != nil {
				return err
			}
		}
		if !graph.IsGone(c.New) {
			j.known.note(c.New.Own)
		}
	}
	return nil
}

// estimate returns the approximate size of a delta in the journal: its content, and for each change, and each
// child of an added node, the record in the commit and the frames.
func estimate(delta *graph.Delta) int {
	const change, kid = 416, 48
	n := 0
	for _, c := range delta.Changes {
		n += change
		if c.New != nil && c.Old == nil {
			n += kid * len(c.New.Kids)
		}
		if newOwn(&c) {
			n += len(c.New.Content)
		}
	}
	return n
}
