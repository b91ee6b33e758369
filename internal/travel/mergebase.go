// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// mergeBaseSearch goes back from the heads of two chains to their merge base. It relies on no
// commit being older than its parents; the numbers of two chains are unrelated.
type mergeBaseSearch struct {
	load graph.Loader
	seen map[merkle.Digest]*searchedCommit
	open []*searchedCommit // commits whose reach was not yet passed to their parents
}

// searchedCommit is a commit that the search has reached.
type searchedCommit struct {
	*graph.Commit
	reach
}

// reach records which heads have a commit in their history.
type reach struct {
	ours, theirs bool
	belowBase    bool // an ancestor of a commit that both have
}

func (s reach) both() bool { return s.ours && s.theirs }

// find returns the newest commit in both histories that is not an ancestor of another such
// commit, or nil. Among several with the same time it returns the one with the greatest digest,
// so that both sides find the same one. O(commits since), or O(history) if there is none.
func (k *mergeBaseSearch) find(ctx context.Context, ours, theirs merkle.Digest) (*searchedCommit, error) {
	if err := errors.Join(k.mark(ours, reach{ours: true}), k.mark(theirs, reach{theirs: true})); err != nil {
		return nil, err
	}
	var newest *searchedCommit // in both histories
	for len(k.open) > 0 && ctx.Err() == nil {
		i := k.newestOpen()
		at := k.open[i]
		if newest != nil && at.Time < newest.Time && !slices.ContainsFunc(k.open, func(o *searchedCommit) bool { return !o.ours }) {
			break
		}
		k.open = slices.Delete(k.open, i, i+1)
		if at.both() && newest == nil {
			newest = at
		}
		for _, p := range at.Parents {
			if err := k.mark(p, reach{at.ours, at.theirs, at.belowBase || at.both()}); err != nil && !scope.IsGone(err) {
				return nil, err
			}
		}
	}
	if newest == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var best *searchedCommit
	for _, o := range k.seen {
		if o.both() && !o.belowBase && o.Time == newest.Time && (best == nil || o.Digest.Compare(best.Digest) > 0) {
			best = o
		}
	}
	return best, nil
}

// newestOpen returns the index of the newest open commit.
func (k *mergeBaseSearch) newestOpen() int {
	best := 0
	for i, o := range k.open {
		if cmp.Or(cmp.Compare(o.Time, k.open[best].Time), cmp.Compare(o.Seq, k.open[best].Seq)) > 0 {
			best = i
		}
	}
	return best
}

// mark extends the reach of a commit and reopens it if that changed.
func (k *mergeBaseSearch) mark(d merkle.Digest, more reach) error {
	o := k.seen[d]
	if o == nil {
		c, err := readCommit(k.load, d)
		if err != nil {
			return err
		}
		o = &searchedCommit{Commit: c}
		k.seen[d] = o
	}
	is := reach{o.ours || more.ours, o.theirs || more.theirs, o.belowBase || more.belowBase}
	if is == o.reach {
		return nil
	}
	if o.reach = is; !slices.Contains(k.open, o) {
		k.open = append(k.open, o)
	}
	return nil
}

func readCommit(load graph.Loader, d merkle.Digest) (*graph.Commit, error) {
	block, err := load(d)
	if err != nil {
		return nil, err
	}
	return graph.DecodeCommit(block, load)
}

// theirs lists the commits that only the other history has, oldest first.
func (k *mergeBaseSearch) theirs() []*graph.Commit {
	var out []*graph.Commit
	for _, o := range k.seen {
		if o.reach.theirs && !o.ours {
			out = append(out, o.Commit)
		}
	}
	slices.SortFunc(out, func(a, b *graph.Commit) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq), a.Digest.Compare(b.Digest))
	})
	return out
}
