// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Retain thins the history. It keeps the moments younger than all, the last of each hour
// younger than hourly, the last of each day younger than daily, the present one, and those
// with a snapshot. It permanently drops content that only other moments need; the commits
// remain. A dry run only counts. It returns the commit of the kind retain (the zero
// Commit if nothing was dropped) and the numbers of thinned moments and dropped blocks.
// Nothing else ever thins the history. Content of commits imported by a merge is not
// thinned. Errors: Invalid, ReadOnly, Corrupt. O(history).
func (md *Mender) Retain(ctx context.Context, all, hourly, daily time.Duration, opts *scope.WriteOptions) (c chain.Commit, moments, blocks int, err error) {
	tx := md.scope.Chain.Begin()
	defer tx.End()
	opts = opts.OrZero()
	if all < 0 || hourly < 0 || daily < 0 || all+hourly+daily <= 0 {
		return c, 0, 0, fault.Invalidf("retain",
			"say for how long to keep every moment (--keep-all), the last of each hour (--hourly) or of each day (--daily)")
	}
	action := scope.ActionOf(opts, "retain", graph.KindRetain)
	if first, err := md.scope.Enter(ctx, tx, action); first != nil || err != nil {
		if first != nil {
			counted(first.Message, &moments, &blocks)
		}
		return md.scope.Replay(first), moments, blocks, err
	}
	drop, moments, err := md.thinned(ctx, graph.Retention{All: all, Hourly: hourly, Daily: daily})
	if err != nil {
		return c, 0, 0, fault.Wrap("retain", md.scope.StateDir, fault.Corrupt, err)
	}
	if opts.DryRun || len(drop) == 0 {
		return c, moments, len(drop), nil
	}
	action.Message = fmt.Sprintf("%s thinned, %s dropped", scope.Count(moments, "moment"), scope.Count(len(drop), "block"))
	c, err = md.rewrite(ctx, tx, action, drop)
	return c, moments, len(drop), err
}

// thinned returns the blocks that only thinned moments need, and the number of these
// moments.
func (md *Mender) thinned(ctx context.Context, r graph.Retention) (drop map[merkle.Digest]bool, moments int, err error) {
	head := md.scope.Chain.Head().Commit.Seq
	var times []time.Time
	if err := md.scope.Chain.Commits(ctx, 1, head, func(c *graph.Commit) error {
		times = append(times, c.When())
		return nil
	}); err != nil {
		return nil, 0, err
	}
	stays := map[uint64]bool{}
	for i, keep := range r.Keep(times, md.scope.Options.Now()) {
		if keep {
			stays[uint64(i)+1] = true
		}
	}
	for _, seq := range md.scope.Chain.Ledgers().Retained(md.scope.Chain.Head()) {
		stays[seq] = true
	}
	lives := graph.NewLives(slices.Collect(maps.Keys(stays)))
	if err := md.scope.Chain.Commits(ctx, 1, head, func(c *graph.Commit) error {
		lives.Add(c)
		return nil
	}); err != nil {
		return nil, 0, err
	}
	goes, needed := map[merkle.Digest]bool{}, map[merkle.Digest]bool{}
	for d, keep := range lives.Needed(head) {
		if keep {
			needed[d] = true
		} else {
			goes[d] = true
		}
	}
	drop, err = md.scope.Chain.Droppable(goes, needed)
	return drop, int(head) - len(stays), err
}
