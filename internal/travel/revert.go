// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
)

// CommitsOf is that of fovea.History.
func (h *History) CommitsOf(ctx context.Context, by author.Author, session, since string) ([]chain.Commit, error) {
	if by.IsZero() && session == "" {
		return nil, fault.Errorf("history", since, fault.Invalid, "name an author or a session")
	}
	defer h.scope.Chain.Begin().End()
	from, begin := uint64(1), time.Time{}
	if t, _, ok := periodOf(since, h.scope.Options.Now); ok {
		begin = t
	} else if since != "" {
		var err error
		if from, err = resolve(ctx, h, since); err != nil {
			return nil, err
		}
	}
	var out []chain.Commit
	err := h.scope.Chain.Commits(ctx, from, h.scope.Chain.Head().Commit.Seq, func(c *graph.Commit) error {
		if c.Seq > from && !c.When().Before(begin) && (by.IsZero() || c.Author == by) && (session == "" || c.Session == session) {
			out = append(out, chain.Summary(c))
		}
		return nil
	})
	if err != nil {
		return nil, fault.Wrap("history", since, fault.Corrupt, err)
	}
	return out, nil
}

// Revert is that of fovea.History.
func (h *History) Revert(ctx context.Context, commits []uint64, opts *scope.WriteOptions) (chain.Commit, []string, []document.Conflict, error) {
	b := reversal{history: h, ctx: ctx, now: h.scope.Options.Now().UnixMilli()}
	var blocked *[]aside
	c, touched, err := h.perform(ctx, "revert", graph.KindRevert, opts, func(r *rollback) (string, error) {
		head := h.scope.Chain.Head()
		b.state, b.target, blocked = head.State, head.State, &r.blocked
		if err := b.choose(commits, head.Commit.Seq); err != nil {
			return "", err
		}
		err := b.walk(head.Commit.Seq)
		r.target = b.target
		return b.message(), fault.Wrap("revert", h.scope.Dir, goneKind(err), err)
	})
	if err != nil {
		return c, nil, nil, err
	}
	b.conflicts = slices.DeleteFunc(b.conflicts, func(c document.Conflict) bool {
		return slices.ContainsFunc(*blocked, func(b aside) bool { return b.path == c.Path })
	})
	return c, touched, b.conflicts, nil
}

// reversal walks back through the history and removes the changes of the chosen commits
// from the present state, newest first.
type reversal struct {
	history   *History
	ctx       context.Context
	commits   []uint64 // sorted
	authors   []string
	state     *graph.State // at the commit that the walk has reached
	target    *graph.State // the present state without the changes undone so far
	now       int64
	conflicts []document.Conflict
}

// choose checks and sorts the numbers of the commits.
func (b *reversal) choose(commits []uint64, head uint64) error {
	b.commits = slices.Compact(slices.Sorted(slices.Values(commits)))
	for _, seq := range b.commits {
		switch {
		case seq == 1:
			return fault.Errorf("revert", "seq:1", fault.Invalid, "the memory began with this commit; there is nothing before it")
		case seq == 0 || seq > head:
			return unlessDamaged(b.history, fault.Wrap("revert", fmt.Sprintf("seq:%d", seq), fault.NotFound, chain.ErrNoCommit))
		}
	}
	if len(b.commits) == 0 {
		return fault.Wrap("revert", b.history.scope.Dir, fault.NotFound, chain.ErrNoCommit)
	}
	return nil
}

// walk undoes commit after commit. Consecutive chosen commits are reverted together.
func (b *reversal) walk(head uint64) error {
	var since []*graph.Commit // from the one before the oldest chosen commit
	err := b.history.scope.Chain.Commits(b.ctx, b.commits[0]-1, head, func(c *graph.Commit) error {
		since = append(since, c)
		return nil
	})
	if err != nil {
		return err
	}
	var run []*graph.Commit // newest first
	var after *graph.State  // after the newest of the run
	for i := len(since) - 1; i > 0; i-- {
		c := since[i]
		if _, chosen := slices.BinarySearch(b.commits, c.Seq); chosen {
			if len(run) == 0 {
				after = b.state
			}
			run = append(run, c)
		}
		if b.state, err = b.state.Undo(c, since[i-1].State, b.history.scope.Chain.Block); err != nil {
			return err
		}
		if _, goesOn := slices.BinarySearch(b.commits, since[i-1].Seq); len(run) > 0 && !goesOn {
			if err := b.revert(run, after); err != nil {
				return err
			}
			run = nil
		}
	}
	return nil
}

// revert undoes a run of commits; b.state is the state before it.
func (b *reversal) revert(run []*graph.Commit, after *graph.State) error {
	oldest, newest := run[len(run)-1], run[0]
	if err := b.history.scope.Chain.Whole(b.ctx, after, newest.Seq); err != nil {
		return err
	}
	if err := b.history.scope.Chain.Whole(b.ctx, b.state, oldest.Seq); err != nil {
		return err
	}
	for _, c := range run {
		b.authors = append(b.authors, c.Author.String())
	}
	which := fmt.Sprintf("commit %d", oldest.Seq)
	if oldest != newest {
		which = fmt.Sprintf("commits %d to %d", oldest.Seq, newest.Seq)
	}
	draft, conflicts := graph.Revert(b.target, b.state, after, fmt.Sprintf("the revert of %s of %s", which, oldest.Author), b.now)
	b.conflicts = append(b.conflicts, conflicts...)
	b.target, _ = draft.Seal()
	return nil
}

// message describes what was reverted.
func (b *reversal) message() string {
	first, last := b.commits[0], b.commits[len(b.commits)-1]
	slices.Sort(b.authors)
	by := ""
	if authors := slices.Compact(b.authors); len(authors) == 1 {
		by = " by " + authors[0]
	}
	if first == last {
		return fmt.Sprintf("commit %d%s", first, by)
	}
	return fmt.Sprintf("%s%s, %d to %d", scope.Count(len(b.commits), "commit"), by, first, last)
}
