// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// merging is one merge of another copy of a memory.
type merging struct {
	history   *History
	tx        *chain.Tx
	ours      *chain.Chain
	theirs    *chain.Chain
	mergeBase mergeBaseSearch
	joins     *graph.Commit // commit to merge; nil for nothing
	made      []byte        // its block, if the merge made it
	parts     [][]byte      // the blocks that made is split into
	target    *graph.State  // state of joins
	conflicts []document.Conflict
}

// choose determines the commit to merge: none, the other's newest commit if it descends from
// ours, or a merge of both. It makes a commit even if both sides made the same changes, so that
// the histories share a merge base afterwards.
func (g *merging) choose(ctx context.Context) error {
	ours, theirs := g.ours.Head(), g.theirs.Head()
	if theirs.Commit.Seq == 0 {
		return errNoCommits
	}
	base, err := g.baseOf(ctx, ours.Commit.Digest, theirs.Commit.Digest)
	switch {
	case err != nil:
		return err
	case base == nil:
		return errUnrelated
	case base.Digest == theirs.Commit.Digest:
		return nil
	case base.Digest == ours.Commit.Digest:
		g.joins = g.mergeBase.seen[theirs.Commit.Digest].Commit
		var kept []string
		g.target, kept = graph.KeepIgnored(ours.State, theirs.State, ours.State, theirs.Commit.Time.UnixMilli())
		if err = g.theirs.Whole(ctx, theirs.State, theirs.Commit.Seq); err == nil && len(kept) > 0 {
			err = g.both(ctx, base.Commit, ours.Commit.Digest, theirs.Commit.Digest) // the state is neither's
		}
	default:
		err = g.both(ctx, base.Commit, ours.Commit.Digest, theirs.Commit.Digest)
	}
	if err == nil && base.State == theirs.State.Root() && g.target.Root() == ours.State.Root() {
		g.joins = nil
	}
	return err
}

// baseOf finds the merge base of two commits.
func (g *merging) baseOf(ctx context.Context, ours, theirs merkle.Digest) (*searchedCommit, error) {
	g.mergeBase = mergeBaseSearch{load: g.load, seen: map[merkle.Digest]*searchedCommit{}}
	return g.mergeBase.find(ctx, ours, theirs)
}

// both makes a commit with two parents from the changes of both sides since base.
func (g *merging) both(ctx context.Context, base *graph.Commit, sides ...merkle.Digest) error {
	var tips [2]graph.Tip
	for i, d := range sides {
		c := g.mergeBase.seen[d].Commit
		state, err := g.stateOf(ctx, c)
		if err == nil {
			err = g.ours.Whole(ctx, state, c.Seq)
		}
		if err != nil {
			return err
		}
		tips[i] = graph.Tip{Commit: c, State: state}
	}
	from, err := g.stateOf(ctx, base)
	if err != nil {
		return err
	}
	g.joins, g.target, _, g.conflicts = graph.MergeCommits(from, tips[0], tips[1])
	g.made, err = g.joins.Encode(func(_ merkle.Digest, block []byte) error {
		g.parts = append(g.parts, slices.Clone(block))
		return nil
	})
	return err
}

// onlyBy rejects a history unless all its new commits are by some agents, or merges of such commits by Fovea, and not in the future.
func (g *merging) onlyBy(ctx context.Context, agents []string) error {
	name, latest := g.history.scope.Name, g.history.scope.Options.Now().Add(2*time.Hour) // clocks differ
	for _, c := range g.mergeBase.theirs() {
		if at := time.UnixMilli(c.Time); at.After(latest) { // all later commits would be as late
			return fault.Errorf("merge", name, fault.Denied, "commit %d is of %s, which is not yet", c.Seq, at.Format(time.DateTime))
		}
		switch is, err := g.isBy(ctx, c, agents); {
		case ctx.Err() != nil:
			return ctx.Err()
		case !is:
			return fault.Errorf("merge", name, fault.Denied, "commit %d is by %s: %w", c.Seq, c.Author,
				cmp.Or(err, fmt.Errorf("its member acts for %s alone", strings.Join(agents, " and "))))
		}
	}
	return nil
}

// isBy reports whether a commit is by one of some agents, or is exactly the merge that Fovea makes of its parents.
func (g *merging) isBy(ctx context.Context, c *graph.Commit, agents []string) (bool, error) {
	if c.Author.Kind != author.Fovea || len(c.Parents) != 2 {
		return c.Author.Kind == author.Agent && slices.Contains(agents, c.Author.Name), nil
	}
	again := merging{history: g.history, ours: g.ours, theirs: g.theirs}
	base, err := again.baseOf(ctx, c.Parents[0], c.Parents[1])
	if err != nil || base == nil {
		return false, err
	}
	err = again.both(ctx, base.Commit, c.Parents...)
	return err == nil && again.joins.Digest == c.Digest, err
}

// load reads a block of our chain, or of theirs if ours lacks it. A block that neither has was
// purged where it was written, and was not carried from there: states are read without it.
func (g *merging) load(d merkle.Digest) ([]byte, error) {
	b, err := g.ours.Block(d)
	if !scope.IsGone(err) {
		return b, err
	}
	theirs, otherErr := g.theirs.Block(d)
	switch {
	case otherErr == nil:
		return theirs, nil
	case scope.IsGone(otherErr) && !errors.Is(err, graph.ErrGone):
		return nil, fmt.Errorf("%w: %w", graph.ErrGone, err)
	}
	return nil, err
}

// stateOf returns the state of a commit. It starts from a state of one of the chains and
// applies the commits after it. A merge that adopted a parent's state has that state.
func (g *merging) stateOf(ctx context.Context, c *graph.Commit) (*graph.State, error) {
	var steps []*graph.Commit // from a known state to c, newest first
	for {
		s, err := g.onChain(ctx, c)
		if err != nil {
			return nil, err
		}
		if s == nil && len(c.Parents) > 0 {
			parents := make([]*graph.Commit, len(c.Parents))
			for i, p := range c.Parents {
				if parents[i], err = readCommit(g.load, p); err != nil {
					return nil, err
				}
			}
			same := slices.IndexFunc(parents, func(p *graph.Commit) bool { return p.State == c.State })
			if len(parents) == 1 || same < 0 {
				steps = append(steps, c)
				same = 0
			}
			c = parents[same]
			continue
		}
		if s == nil {
			s, steps = graph.Empty(g.history.scope.Options.Formats), append(steps, c)
		}
		for _, step := range slices.Backward(steps) {
			if s, err = s.Apply(step, g.load); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
}

// onChain returns the state of a commit on one of the chains, nil if it is on neither. Blocks
// that one history lacks come from the other. Content that both have purged is missing from the
// state: neither side has it now, see graph.Merge.
func (g *merging) onChain(ctx context.Context, c *graph.Commit) (*graph.State, error) {
	for _, history := range []*chain.Chain{g.ours, g.theirs} {
		switch there, err := history.Commit(ctx, c.Seq); {
		case err != nil:
			return nil, err
		case there == nil || there.Digest != c.Digest:
			continue
		}
		at, err := history.PartAtFrom(ctx, c.Seq, g.load)
		if err != nil {
			return nil, err
		}
		return at.State, nil
	}
	return nil, nil
}

// carryBytes is the approximate number of bytes of the other's history that become durable at once.
const carryBytes = 4 << 20

// carry imports the other's commits since the merge base as blocks; parents of commits name
// them. The next merge completes an interrupted import; until then no commit names its blocks.
func (g *merging) carry(ctx context.Context) error {
	b := &store.Batch{}
	for _, k := range g.mergeBase.theirs() {
		if err := g.carryCommit(b, k); err != nil {
			return err
		}
		if b.Size() >= carryBytes {
			if err := g.tx.AppendBatch(ctx, b); err != nil {
				return err
			}
			b = &store.Batch{}
		}
	}
	for _, part := range g.parts {
		b.Add(store.Block, part)
	}
	if g.made != nil {
		b.Add(store.Block, g.made)
	}
	return g.tx.AppendBatch(ctx, b)
}

// carryCommit adds a commit of the other and the blocks that it introduced.
func (g *merging) carryCommit(b *store.Batch, c *graph.Commit) error {
	for i := range c.Delta {
		if e := c.Delta[i].New; e != nil {
			if err := g.carryBlock(b, e.Own); err != nil {
				return err
			}
		}
	}
	block, err := g.theirs.Store().Block(c.Digest)
	if err != nil {
		return err
	}
	if _, err := g.ours.Store().Block(c.Digest); err == nil {
		return nil
	}
	_, err = graph.DecodeCommit(block, g.carryPart(b))
	b.Add(store.Block, block)
	return err
}

// carryPart returns a loader that also adds each part that it loads from the other.
func (g *merging) carryPart(b *store.Batch) graph.Loader {
	return func(d merkle.Digest) ([]byte, error) {
		part, err := g.theirs.Store().Block(d)
		if err == nil {
			b.Add(store.Block, part)
		}
		return part, err
	}
}

// carryBlock adds a block of the other after its chunks. It skips blocks that were purged here,
// and those that are missing or purged there.
func (g *merging) carryBlock(b *store.Batch, d merkle.Digest) error {
	if _, err := g.ours.Store().Block(d); !errors.Is(err, store.ErrNotFound) {
		if errors.Is(err, store.ErrPurged) {
			err = nil
		}
		return err
	}
	block, err := g.theirs.Store().Block(d)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrPurged) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := node.Links(block, g.carryPart(b)); err != nil {
		return err
	}
	b.Add(store.Block, block)
	return nil
}

// message describes the merge.
func (g *merging) message() string {
	n := len(g.mergeBase.theirs())
	if g.made == nil {
		return fmt.Sprintf("%s of another copy", scope.Count(n, "commit"))
	}
	return fmt.Sprintf("%s of another copy, %s", scope.Count(n, "commit"), scope.Count(len(g.conflicts), "conflict"))
}
