// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/node"
)

// owner is the author whose word over protected files counts: the person, not an
// agent.
var owner = author.Author{Kind: author.Owner}

var (
	errProtected = errors.New("the file is protected; only its owner writes it")
	errLocked    = errors.New("the file was changed outside Fovea and is locked down; see fovea guard diff, then adopt or reject that")
)

// hasTrustedText reports whether memory has of a protected file what its owner trusts.
func hasTrustedText(book *guard.Book, state *graph.State, path string) bool {
	nodes := state.Nodes(path)
	if b := book.Baseline(path); b != nil {
		return b.Matches(nodes)
	}
	return len(nodes) == 0 || !book.Initialized()
}

// mayReveal reports whether an agent may be told of a node: the state has of its file
// what its owner trusts, or the file is not locked down where somebody changes it.
func (m *Memory) mayReveal(state *graph.State, n *node.Node) bool {
	v := m.trust()
	return m.mode(n.Path) != guard.Lockdown || v.doubt == "" && hasTrustedText(v.book, state, n.Path)
}

// Propose returns what a commit makes of the baselines of the files it changes: an
// edit of the owner is trusted, on top of what was; anything else only if it brings back
// what was trusted before. The marks of the commit say which files differ from memory on
// purpose.
func (l guardLedger) Propose(v trust, c *chain.Change) [][]byte {
	if l.m == nil || c.Commit.Kind == graph.KindIngest || c.Commit.Author != owner || !v.book.Initialized() || v.doubt != "" {
		return nil
	}
	var entries []guard.Entry
	for _, path := range c.Delta.Paths {
		if !l.m.Protected(path) {
			continue
		}
		base, nodes := v.book.Baseline(path), c.After.Nodes(path)
		text := guard.TextOf(nodes)
		file := text
		for _, mark := range c.Marks {
			if seen, drifts := readDriftMark(mark, path); drifts {
				file = seen
			}
		}
		edited := c.Commit.Kind == graph.KindEdit && hasTrustedText(v.book, c.Before.State, path)
		if !edited && (base == nil || !base.Trusts(text)) {
			if base != nil || len(nodes) > 0 {
				entries = append(entries, guard.Entry{Notified: path, File: file}) // its owner did that
			}
			continue
		}
		entries = append(entries, guard.Entry{Baseline: guard.NewBaseline(base, path, nodes, file, c.Commit.Seq)})
	}
	return guardMarks(entries...)
}

// initBaselines trusts what is there when a policy is new: at the first ingest all
// protected files, later those that were not protected before. A file that comes
// to a place that is protected already is not taken. m.mu is held.
func (m *Memory) initBaselines(ctx context.Context, opts *IngestOptions) error {
	book, policy := m.trust().book, m.guard.policy.String()
	if book.Policy() == policy || m.chain.Store().Err() != nil || m.trust().doubt != "" {
		return nil
	}
	before, v := guard.ParsePolicy(book.Policy()), m.View()
	var entries []guard.Entry
	var taken []string
	for _, path := range m.protectedPaths(v.state) {
		if !m.root.InRegion(path) || book.Baseline(path) != nil || m.modeBy(before, path) != guard.Trusted {
			continue
		}
		nodes := v.state.Nodes(path)
		file := guard.TextOf(nodes)
		if seen, drifts := m.drift()[path]; drifts {
			file = seen
		}
		entries = append(entries, guard.Entry{Baseline: guard.NewBaseline(nil, path, nodes, file, v.commit.Seq)})
		taken = append(taken, path)
	}
	for _, path := range book.Paths() {
		if !m.Protected(path) {
			entries = append(entries, guard.Entry{Removed: path})
		}
	}
	entries = append(entries, guard.Entry{Policy: policy})
	if err := m.chain.Held().Attest(ctx, guardMarks(entries...)...); err != nil {
		return fail("guard", m.state, ReadOnly, err)
	}
	if len(taken) > 0 {
		m.opts.Log.Info("protected files were trusted as they are", "paths", taken)
		if opts.Trusted != nil {
			opts.Trusted(taken)
		}
	}
	return nil
}
