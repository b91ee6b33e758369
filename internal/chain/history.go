// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Commits walks the commits of a range of numbers, oldest first, at the cost of reading those. fn ends the walk
// with an error.
func (c *Chain) Commits(ctx context.Context, from, to uint64, fn func(*graph.Commit) error) error {
	next := max(from, 1)
	return c.Store().Commits(ctx, store.Span{From: from, To: to}, func(r store.Record) error {
		commit, err := graph.DecodeCommit(r.Data, c.Store().Block)
		if err != nil {
			return err
		}
		if commit.Seq != next {
			return fmt.Errorf("commit %d is in the place of commit %d: %w", commit.Seq, next, ErrBroken)
		}
		next++
		return fn(commit)
	})
}

// Commit returns the commit with a number, nil if history lacks it. One read.
func (c *Chain) Commit(ctx context.Context, seq uint64) (found *graph.Commit, err error) {
	err = c.Commits(ctx, seq, seq, func(at *graph.Commit) error {
		found = at
		return nil
	})
	return found, err
}

// About walks the commits of a span that may concern the node that id names at that point, in the span's order;
// fn may change the id, and ends the walk with ErrStop. An empty id matches all. Only these commits are
// decoded, the others cost a read.
func (c *Chain) About(ctx context.Context, id *string, span store.Span, fn func(*graph.Commit) error) error {
	err := c.Store().Commits(ctx, span, func(r store.Record) error {
		if !graph.Mentions(r.Data, *id) {
			return nil
		}
		commit, err := graph.DecodeCommit(r.Data, c.Store().Block)
		if err != nil {
			return err
		}
		return fn(commit)
	})
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// At returns the complete moment of an earlier commit; only permanent ledgers have values. The last moment is
// kept. Errors: graph.ErrGone if some of its content is no longer kept. O(commits since the nearest state in
// memory).
func (c *Chain) At(ctx context.Context, seq uint64) (*Moment, error) {
	if m := c.past.Load(); m != nil && m.Commit.Seq == seq {
		return m, nil
	}
	m, err := c.PartAt(ctx, seq)
	if err == nil {
		err = c.Whole(ctx, m.State, seq)
	}
	if err != nil {
		return nil, err
	}
	if m != c.Head() {
		c.past.Store(m)
	}
	return m, nil
}

// PartAt is At for a moment that may lack content, see Whole.
func (c *Chain) PartAt(ctx context.Context, seq uint64) (*Moment, error) {
	return c.PartAtFrom(ctx, seq, c.Block)
}

// PartAtFrom is PartAt with content from load, which may find more than the history keeps.
func (c *Chain) PartAtFrom(ctx context.Context, seq uint64, load graph.Loader) (*Moment, error) {
	head := c.Head()
	switch {
	case seq == head.Commit.Seq:
		return head, nil
	case seq > head.Commit.Seq:
		return nil, ErrNoCommit
	}
	state, at := head.State, head.Commit.Seq
	for _, e := range c.opts.Ledgers.list {
		if e.Held == nil {
			continue
		}
		if s, n := e.Held(head); s != nil && seq <= n && n < at && s.Gone() == nil { // its missing content may have come back since
			state, at = s, n
		}
	}
	var after []*graph.Commit
	if err := c.Commits(ctx, max(seq, 1), at, func(commit *graph.Commit) error {
		after = append(after, commit)
		return nil
	}); err != nil {
		return nil, err
	}
	if uint64(len(after)) != at-seq+1 {
		return nil, fmt.Errorf("commits %d to %d are not all in the journal", seq, at)
	}
	for i := len(after) - 1; i > 0; i-- {
		var err error
		if state, err = state.Undo(after[i], after[i-1].State, load); err != nil {
			return nil, err
		}
	}
	done := Summary(after[0])
	done.Documents = state.DocumentCount()
	then := &Moment{State: state, Commit: done, values: c.opts.Ledgers.permanent(head)}
	then.Derived = c.opts.Deriver.Derive(then, nil)
	return then, nil
}

// Whole returns an error, a graph.ErrGone, that names the commits that removed content of the state of commit
// seq; nil if all of it is there.
func (c *Chain) Whole(ctx context.Context, state *graph.State, seq uint64) error {
	lost := state.Gone()
	if len(lost) == 0 {
		return nil
	}
	by := map[uint64]bool{}
	for _, n := range lost {
		_, err := c.Store().Block(n.Own)
		if p, ok := errors.AsType[*store.Purged](err); ok {
			by[p.By] = true
		}
	}
	var reasons []string
	for _, seq := range slices.Sorted(maps.Keys(by)) {
		reasons = append(reasons, c.goneBy(ctx, seq))
	}
	nodes := fmt.Sprintf("%d nodes", len(lost))
	if len(lost) == 1 {
		nodes = "1 node"
	}
	return &goneError{fmt.Sprintf("commit %d: %s (%s)", seq, strings.Join(reasons, ", "), nodes)}
}

// Version returns the node with an own digest, without children and derived fields. Errors: graph.ErrGone, with
// the commit that removed it.
func (c *Chain) Version(ctx context.Context, own merkle.Digest) (*node.Node, error) {
	n, err := node.ReadOwn(own, c.Block)
	if purged, ok := errors.AsType[*store.Purged](err); ok {
		err = &goneError{c.goneBy(ctx, purged.By)}
	}
	return n, err
}

// goneError means that content is no longer kept.
type goneError struct{ why string }

func (e *goneError) Error() string { return e.why }
func (e *goneError) Unwrap() error { return graph.ErrGone }

// goneBy describes what a commit did to blocks that are gone.
func (c *Chain) goneBy(ctx context.Context, seq uint64) string {
	kind := ""
	if commit, _ := c.Commit(ctx, seq); commit != nil { // its number is reported in any case
		kind = commit.Kind
	}
	return fmt.Sprintf(GoneWord(kind), seq)
}

// GoneWord returns a format, for the commit's number, of what a commit of a kind did to missing content.
func GoneWord(kind string) string {
	switch kind {
	case graph.KindPurge:
		return "purged by commit %d"
	case graph.KindRetain:
		return "thinned by commit %d"
	}
	return "lost, as commit %d says"
}
