// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Merge is that of fovea.History.
func (h *History) Merge(ctx context.Context, state string, opts *scope.WriteOptions) (chain.Commit, []string, []document.Conflict, error) {
	if abs, err := filepath.Abs(state); err == nil && h.scope.Memex().StateDir != "" && abs == filepath.Clean(h.scope.Memex().StateDir) {
		return chain.Commit{}, nil, nil, fault.Errorf("merge", state, fault.Invalid, "it is the state folder of this memory; name that of a copy")
	}
	in, err := vfs.Dir(state)
	if err != nil {
		return chain.Commit{}, nil, nil, fault.Wrap("merge", state, fault.NotFound, err)
	}
	defer in.Close()
	return MergeStore(ctx, h, in, state, opts)
}

// MergeStore is History.Merge for an open state folder, called name in errors. If agents are given, all commits of the
// other must be theirs, and its records of decisions are not merged. Errors: also Denied.
func MergeStore(ctx context.Context, h *History, in vfs.FS, name string, opts *scope.WriteOptions,
	agents ...string) (chain.Commit, []string, []document.Conflict, error) {
	var conflicts []document.Conflict
	c, touched, err := h.perform(ctx, "merge", graph.KindMerge, opts, func(r *rollback) (string, error) {
		switch {
		case h.scope.IsSession():
			return "", fault.Errorf("merge", h.scope.Name, fault.Invalid, "a session stays on its machine and is not merged")
		case r.opts.Skip:
			return "", fault.Errorf("merge", name, fault.Invalid, "a merge leaves no file out; it is all or nothing")
		case h.scope.Chain.Head().Commit.Seq == 0 && len(agents) > 0:
			return "", fault.Errorf("merge", name, fault.Denied, "%s begins with a member that acts as the owner", h.scope.Name)
		case h.scope.Chain.Head().Commit.Seq == 0:
			return "", fault.Errorf("merge", h.scope.Dir, fault.Invalid,
				"this memory is empty; start it as a copy of the other's state folder and files")
		}
		other, err := r.open(ctx, in, name)
		if err != nil {
			return "", err
		}
		g := merging{history: h, tx: r.tx, ours: h.scope.Chain, theirs: other}
		if err = g.choose(ctx); err == nil && g.joins != nil && len(agents) > 0 {
			err = g.onlyBy(ctx, agents)
		}
		if err == nil && g.joins != nil && !r.opts.DryRun {
			err = g.carry(ctx)
		}
		if err != nil || g.joins == nil {
			return "", fault.Wrap("merge", name, mergeKind(err), err)
		}
		r.target, r.secondParent, conflicts = g.target, g.joins, g.conflicts
		if len(agents) == 0 {
			r.marks = g.ours.Ledgers().Merge(g.ours.Head(), g.theirs.Head())
		}
		return g.message(), nil
	})
	if err != nil {
		return c, nil, nil, err
	}
	return c, touched, conflicts, nil
}

// open loads the chain of this scope from another state folder, called name in errors.
func (r *rollback) open(ctx context.Context, in vfs.FS, name string) (*chain.Chain, error) {
	h := r.history
	lock, err := scope.TakeLock(ctx, &h.scope.Options, in)
	if err != nil {
		return nil, fault.Wrap(r.action.Name, name, fault.Conflict, err)
	}
	other, err := h.openCopy(in, name)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	r.closeOther = func() { _, _ = other.Store().Close(), lock.Unlock() } // it was only read
	return other, nil
}

// RestoreStore is Rollback to the newest state in another state folder, called name in errors.
// It does not adopt the other history, which need not be one of this memory. Errors: those of
// Rollback, Conflict also if another process has that folder, Corrupt.
func RestoreStore(ctx context.Context, h *History, in vfs.FS, name string, opts *scope.WriteOptions) (chain.Commit, []string, error) {
	return h.perform(ctx, "restore", graph.KindRollback, opts, func(r *rollback) (string, error) {
		other, err := r.open(ctx, in, name)
		if err != nil {
			return "", err
		}
		from := other.Head()
		if from.Commit.Seq == 0 {
			return "", fault.Wrap("restore", name, fault.NotFound, errNoCommits)
		}
		if err := other.Whole(ctx, from.State, from.Commit.Seq); err != nil {
			return "", fault.Wrap("restore", name, goneKind(err), err)
		}
		r.target, r.restoresLost = from.State, func(string) bool { return true }
		return fmt.Sprintf("to commit %d of %s", from.Commit.Seq, name), nil
	})
}

// errUnrelated is returned for memories without a common commit.
var errUnrelated = errors.New("the two memories have no commit in common; only copies of one memory can be merged")

// errNoCommits is returned for a copy without commits.
var errNoCommits = errors.New("it keeps nothing yet; run fovea ingest there first")

// mergeKind returns the kind of a merge error.
func mergeKind(err error) fault.Kind {
	switch {
	case errors.Is(err, errUnrelated):
		return fault.Invalid
	case errors.Is(err, errNoCommits):
		return fault.NotFound
	case errors.Is(err, store.ErrReadOnly):
		return fault.ReadOnly
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Other
	}
	return goneKind(err)
}
