// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/lru"
	"github.com/fovea-memory/fovea/internal/store"
)

const (
	// minTrackedOps is the number of newest operations whose commit is known at least.
	minTrackedOps = 10_000
	longestOp     = 200
)

// operations knows which commit the newest operations made. It is read from the
// commits when an op is first asked for; the writer's lock guards it.
type operations struct {
	commits lru.Map[string, uint64] // the first commit of each op; Size is 0 until they were read
}

// add takes a commit into account.
func (o *operations) add(op string, seq uint64) {
	if _, known := o.commits.Peek(op); !known && o.commits.Size > 0 {
		o.commits.Set(op, seq)
	}
}

// read lists the newest operations of a store, whose newest commit is head. It
// costs a read for each of their commits and decodes no change.
func (o *operations) read(ctx context.Context, from store.Store, head uint64) error {
	first := map[string]uint64{}
	var ops []string
	err := from.Commits(ctx, store.Span{From: 1, To: head, Backward: true}, func(r store.Record) error {
		seq, op, err := graph.CommitOp(r.Data)
		if err != nil {
			return err
		}
		if _, known := first[op]; !known {
			if len(ops) == minTrackedOps {
				return errEnough
			}
			ops = append(ops, op)
		}
		first[op] = seq
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	o.commits.Size = minTrackedOps
	for _, op := range slices.Backward(ops) {
		o.commits.Set(op, first[op])
	}
	return nil
}

// errEnough ends a walk over commits that has found what it was for.
var errEnough = errors.New("enough")

// repeated returns the commit that an operation of this kind made when it came
// the first time, nil for one that did not come yet. All that make commits ask it, so an
// agent whose rights nobody said is refused here. m.mu is held.
func (m *Memory) repeated(ctx context.Context, name, kind string) (*graph.Commit, error) {
	if a := m.actor(ctx); a.Author.Kind == author.Agent && a.May == nil {
		return nil, fail(name, "", Denied, errNoRights)
	}
	op := actorOf(ctx).Op
	if op == "" {
		return nil, nil
	}
	want := m.entry(ctx, kind, "", 0)
	if len(want.Op) > longestOp {
		return nil, fail(name, "", Invalid, fmt.Errorf("an op is at most %d bytes long", longestOp))
	}
	if m.operations.commits.Size == 0 {
		if err := m.operations.read(ctx, m.store, m.View().commit.Seq); err != nil {
			return nil, fail(name, m.state, Corrupt, err)
		}
	}
	seq, known := m.operations.commits.Peek(want.Op)
	if !known {
		return nil, nil
	}
	var first *graph.Commit
	if err := m.commits(ctx, seq, seq, func(c *graph.Commit) error {
		first = c
		return nil
	}); err != nil {
		return nil, fail(name, m.state, Corrupt, err)
	}
	if first.Kind != kind || first.Author != want.Author {
		return nil, fail(name, op, Conflict, fmt.Errorf("the op is that of commit %d already, of the kind %s by %s", seq, first.Kind, first.Author))
	}
	return first, nil
}

// Done reports whether the op of the context was done already, as a commit of this
// kind, and which node an edit was about, under the id that it had then: a caller who
// names a node by its title, or one that has left with the operation, cannot find it
// any more. Errors: those of the operation itself, Conflict for an op that is another
// one's.
func (m *Memory) Done(ctx context.Context, kind string) (id string, done bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first, err := m.repeated(ctx, "op", kind)
	if first == nil || err != nil {
		return "", false, err
	}
	return subject(first), true, nil
}

// subject returns the id of the node that an edit was about: one that came, else
// one whose own text or place changed, else one that left.
func subject(c *graph.Commit) string {
	if id := inserted(c); id != "" {
		return id
	}
	moved, left, gone := "", "", map[string]bool{}
	for i := range c.Delta {
		switch r := &c.Delta[i]; {
		case r.New == nil:
			gone[r.ID] = true
		case r.Old != nil && r.Old.Own != r.New.Own:
			return r.ID
		case r.Old != nil && (r.Old.Parent != r.New.Parent || r.Old.Path != r.New.Path) && moved == "":
			moved = r.ID
		}
	}
	for i := range c.Delta {
		if r := &c.Delta[i]; gone[r.ID] && !gone[r.Old.Parent] {
			left = r.ID
		}
	}
	return cmp.Or(moved, left)
}

// answered gives an operation that came again what it gave the first time; nil
// for none.
func (m *Memory) answered(first *graph.Commit, answer func(*graph.Commit)) Commit {
	if first == nil {
		return Commit{}
	}
	if answer != nil {
		answer(first)
	}
	c := summary(first)
	if head := m.View().commit; head.Seq == c.Seq {
		c.Documents = head.Documents
	}
	return c
}

// inserted returns the id of the headline that came with a commit: the one that
// does not stand below another that came.
func inserted(c *graph.Commit) string {
	came := map[string]bool{}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.Old == nil && r.New.Parent != "" {
			came[r.ID] = true
		}
	}
	for i := range c.Delta {
		if r := &c.Delta[i]; came[r.ID] && !came[r.New.Parent] {
			return r.ID
		}
	}
	return ""
}

// since returns the ids that nodes go by since a commit, which they had other
// ones before.
func since(c *graph.Commit, ids []string) []string {
	now := map[string]string{}
	for _, e := range c.Lineage {
		now[e.Old] = e.New
	}
	out := slices.Clone(ids)
	for i, id := range out {
		if id, ok := now[id]; ok {
			out[i] = id
		}
	}
	return out
}

// files lists the files that a commit is about, sorted.
func files(c *graph.Commit) []string {
	paths := map[string]bool{}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.Old != nil {
			paths[r.Old.Path] = true
		}
		if r := &c.Delta[i]; r.New != nil {
			paths[r.New.Path] = true
		}
	}
	return sortedKeys(paths)
}

// counted reads the numbers of a message such as "3 moments thinned, 1 block
// dropped", in order; 0 for one that is not there.
func counted(message string, into ...*int) {
	for part := range strings.SplitSeq(message, ", ") {
		if len(into) == 0 {
			return
		}
		_, _ = fmt.Sscan(part, into[0])
		into = into[1:]
	}
}
