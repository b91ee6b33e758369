// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/node"
)

var (
	errProtected = errors.New("the file is protected; only its owner writes it")
	errLocked    = errors.New("the file was changed outside Fovea and is locked down; see fovea guard diff, then adopt or reject that")
)

// hasTrustedText reports whether a state has the trusted text of a protected file.
func hasTrustedText(book *guard.Book, state *graph.State, path string) bool {
	nodes := state.Nodes(path)
	if b := book.Baseline(path); b != nil {
		return b.Matches(nodes)
	}
	return len(nodes) == 0 || !book.Initialized()
}

// MayReveal reports whether an agent may see a node: its file is not subject to lockdown, or
// the state has its trusted text.
func (r *Rules) MayReveal(state *graph.State, n *node.Node) bool {
	v := r.Trust()
	return r.Mode(n.Path) != guard.Lockdown || v.Doubt == "" && hasTrustedText(v.Book, state, n.Path)
}

// propose returns the changes of baselines that a commit causes. An edit of a trusted text by the
// owner is trusted; any other change only if it restores a text that was trusted before. The marks
// of the commit name the files that differ from memory on purpose.
func (l *trustLedger) propose(c *chain.Change) [][]byte {
	v := l.slot.At(c.Before)
	if l.rules == nil || c.Commit.Kind == graph.KindIngest || c.Commit.Author != Owner || !v.Book.Initialized() || v.Doubt != "" {
		return nil
	}
	var entries []guard.Entry
	for _, path := range c.Delta.Paths {
		if !l.rules.Protected(path) {
			continue
		}
		base, nodes := v.Book.Baseline(path), c.After.Nodes(path)
		text := guard.TextOf(nodes)
		file := text
		for _, mark := range c.Marks {
			if seen, drifts := ReadDriftMark(mark, path); drifts {
				file = seen
			}
		}
		edited := c.Commit.Kind == graph.KindEdit && hasTrustedText(v.Book, c.Before.State, path)
		if !edited && (base == nil || !base.Trusts(text)) {
			if base != nil || len(nodes) > 0 {
				entries = append(entries, guard.Entry{Notified: path, File: file}) // no alert to the owner
			}
			continue
		}
		entries = append(entries, guard.Entry{Baseline: guard.NewBaseline(base, path, nodes, file, c.Commit.Seq)})
	}
	return TrustMarks(entries...)
}

// InitBaselines trusts the present files under a new policy: at the first ingest all protected
// files, later those that become protected. It does not trust a file that appears at a path that
// is already protected.
func (r *Rules) InitBaselines(ctx context.Context, tx *chain.Tx, trusted func(paths []string)) error {
	book, policy := r.Trust().Book, r.Policy.String()
	if book.Policy() == policy || r.scope.Chain.Store().Err() != nil || r.Trust().Doubt != "" {
		return nil
	}
	before, v := guard.ParsePolicy(book.Policy()), r.scope.Chain.Head()
	var entries []guard.Entry
	var taken []string
	for _, path := range r.ProtectedPaths(v.State) {
		if !r.scope.Root.InRegion(path) || book.Baseline(path) != nil || r.modeBy(before, path) != guard.Trusted {
			continue
		}
		nodes := v.State.Nodes(path)
		file := guard.TextOf(nodes)
		if seen, drifts := r.scope.Drift()[path]; drifts {
			file = seen
		}
		entries = append(entries, guard.Entry{Baseline: guard.NewBaseline(nil, path, nodes, file, v.Commit.Seq)})
		taken = append(taken, path)
	}
	for _, path := range book.Paths() {
		if !r.Protected(path) {
			entries = append(entries, guard.Entry{Removed: path})
		}
	}
	entries = append(entries, guard.Entry{Policy: policy})
	if err := tx.Attest(ctx, TrustMarks(entries...)...); err != nil {
		return fault.Wrap("guard", r.scope.StateDir, fault.ReadOnly, err)
	}
	if len(taken) > 0 {
		r.scope.Options.Log.Info("protected files were trusted as they are", "paths", taken)
		if trusted != nil {
			trusted(taken)
		}
	}
	return nil
}
