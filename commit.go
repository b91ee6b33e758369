// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Commit is one durable step of the history, as the log shows it.
type Commit struct {
	Seq       uint64
	Digest    merkle.Digest // names the commit and all that went before it
	Root      merkle.Digest // of the state it made
	Kind      string        // ingest, rollback, revert, merge, edit, purge, retain, repair
	Author    author.Author
	Session   string
	Op        string // commits of one operation share it
	Vouched   bool   // a token said who the author is; otherwise whoever asked did
	Time      time.Time
	Message   string
	Changes   int // nodes that came, changed or left
	Documents int // documents in the state after it; 0 where it is not known
	// Lineage says which nodes go by another id since: derived ids follow titles
	// and places. It is shared and must not be changed.
	Lineage []node.Edge
	// Parents are, of a merge, the commit before it and the one that it took in,
	// sorted; nil of others, which follow the one before. Shared as well. Of the head
	// that Open found in an image, Lineage and Parents are nil: Log has them.
	Parents []merkle.Digest
}

func summary(c *graph.Commit) Commit {
	s := Commit{
		Seq: c.Seq, Digest: c.Digest, Root: c.State, Kind: c.Kind, Author: c.Author, Session: c.Session,
		Op: c.Op, Vouched: vouched(c), Time: c.When(), Message: c.Message, Changes: len(c.Delta), Lineage: c.Lineage,
	}
	if len(c.Parents) > 1 {
		s.Parents = c.Parents
	}
	return s
}

// commit makes a state durable and then the present one, together with marks.
// c carries kind, author, op, time and message; the rest is filled in. A delta
// without changes of record makes no commit, but its rereading counts.
func (m *Memory) commit(ctx context.Context, state *graph.State, delta *graph.Delta, c graph.Commit, marks ...[]byte) (Commit, error) {
	head := m.View()
	if delta.Empty() {
		m.head.Store(head.follow(state, delta, head.commit))
		return Commit{}, fail("commit", m.state, ReadOnly, m.mark(ctx, marks...))
	}
	return m.append(ctx, state, delta, c, marks...)
}

// append is commit where the delta may be empty: the commit is its own purpose.
func (m *Memory) append(ctx context.Context, state *graph.State, delta *graph.Delta, c graph.Commit, marks ...[]byte) (Commit, error) {
	j := &journal{}
	s, err := m.seal(ctx, j, m.View(), state, delta, c, marks...)
	if err != nil {
		return Commit{}, fail("commit", m.state, Other, err)
	}
	done, err := m.publish(ctx, j, s)
	if len(done) == 0 {
		return Commit{}, err
	}
	return done[0], err
}

// sealed is a commit that lies in a journal and is not durable yet.
type sealed struct {
	head  *View // before it
	view  *View // that it makes
	delta *graph.Delta
	marks [][]byte
	keep  bool // head becomes an automatic snapshot
}

// seal fills in a commit that follows head, and adds it and what it needs to a
// journal.
func (m *Memory) seal(ctx context.Context, j *journal, head *View, state *graph.State, delta *graph.Delta, c graph.Commit, marks ...[]byte) (sealed, error) {
	c.Seq = head.commit.Seq + 1
	if c.Seq > 1 {
		c.Parents = append(slices.Clip(c.Parents), head.commit.Digest) // a merge has what it takes in
		slices.SortFunc(c.Parents, merkle.Digest.Compare)
		c.Time = max(c.Time, head.commit.Time.UnixMilli())
	}
	legible(&c)
	c.State = state.Root()
	c.Delta, c.Lineage = delta.Records(), delta.Lineage
	if err := j.blocks(m, delta); err != nil {
		return sealed{}, err
	}
	block, err := c.Encode(j.block)
	if err != nil {
		return sealed{}, err
	}
	j.Add(store.Commit, block)
	marks = append(marks, guardMarks(m.trustedBy(&c, head.state, state, delta.Paths, marks)...)...)
	marks = m.withHead(ctx, &c, marks)
	for _, mark := range marks {
		j.Add(store.Mark, mark)
	}
	done := summary(&c)
	done.Documents = state.DocumentCount()
	return sealed{head: head, view: head.follow(state, delta, done), delta: delta, marks: marks}, nil
}

// publish makes the commits of a journal durable in one step, and then each the
// present one, in order. It returns those that are.
func (m *Memory) publish(ctx context.Context, j *journal, steps ...sealed) ([]Commit, error) {
	if _, err := m.store.Append(ctx, &j.Batch); err != nil {
		return nil, fail("commit", m.state, ReadOnly, err)
	}
	m.replayed += j.size
	m.stored.absorb(&j.noted)
	m.tableOld = true // it names the root it belongs to
	var done []Commit
	for _, s := range steps {
		c := s.view.commit
		done = append(done, c)
		if s.keep {
			m.snapshots.before(s.head)
		}
		m.store.SetHead(store.Head{Seq: c.Seq, Commit: c.Digest})
		m.operations.add(c.Op, c.Seq)
		m.known.follow(s.delta)
		m.head.Store(s.view)
		m.snapshots.follow(s.view.state, s.delta)
		for _, mark := range s.marks {
			if err := m.applyMark(mark); err != nil {
				return done, fail("commit", m.state, Other, err)
			}
		}
	}
	m.tell()
	m.witness()
	m.imageBeside()
	for _, c := range done {
		if m.opts.Committed != nil {
			m.opts.Committed(c)
		}
		m.opts.Log.Info("committed", "commit", c.Seq, "kind", c.Kind, "what", c.Message, "changes", c.Changes)
	}
	return done, nil
}

// legible mends what a commit keeps as text: a path in it may be any bytes.
func legible(c *graph.Commit) {
	for _, text := range []*string{&c.Author.Name, &c.Session, &c.Op, &c.Message} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
}

// journal collects what becomes durable in one step.
type journal struct {
	store.Batch
	size  int64
	noted storedBlocks // when the batch is appended
}

func (j *journal) block(_ merkle.Digest, block []byte) error {
	j.Add(store.Block, block)
	j.size += int64(len(block))
	return nil
}

// blocks adds the own blocks of a delta that neither the store nor the batch is known
// to hold. Versions follow from the deltas of commits, and are written nowhere.
func (j *journal) blocks(m *Memory, delta *graph.Delta) error {
	j.Grow(size(delta))
	for i := range delta.Changes {
		m.stored.expectNode(delta.Changes[i].Old)
	}
	for i := range delta.Changes {
		c := &delta.Changes[i]
		if !newOwn(c) {
			continue
		}
		if own := c.New.Own; !j.noted.has(own) && !m.inStore(own) {
			if err := c.New.Blocks(j.block); err != nil {
				return err
			}
		}
		j.noted.after(c)
	}
	return nil
}

// size guesses what a delta takes in the journal: its content, and for each change,
// and each child of what came, what a record in the commit and the frames add.
func size(delta *graph.Delta) int {
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
