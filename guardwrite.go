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

// owner is the only author whose changes of protected files are trusted: the person, never
// an agent.
var owner = author.Author{Kind: author.Owner}

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

// mayReveal reports whether an agent may see a node: its file is not subject to lockdown, or
// the state has its trusted text.
func (m *Memory) mayReveal(state *graph.State, n *node.Node) bool {
	v := m.trust()
	return m.mode(n.Path) != guard.Lockdown || v.doubt == "" && hasTrustedText(v.book, state, n.Path)
}

// Propose returns the changes of baselines that a commit causes. An edit by the owner on top
// of a trusted text is trusted; any other change only if it restores a text that was trusted
// before. The marks of the commit name the files that differ from memory on purpose.
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
				entries = append(entries, guard.Entry{Notified: path, File: file}) // no alert to the owner
			}
			continue
		}
		entries = append(entries, guard.Entry{Baseline: guard.NewBaseline(base, path, nodes, file, c.Commit.Seq)})
	}
	return guardMarks(entries...)
}

// initBaselines trusts the present files under a new policy: at the first ingest all
// protected files, later those that become protected. A file that appears at a path that is
// already protected is not trusted. The caller is the chain's writer.
func (m *Memory) initBaselines(ctx context.Context, opts *IngestOptions) error {
	book, policy := m.trust().book, m.policy.String()
	if book.Policy() == policy || m.chain.Store().Err() != nil || m.trust().doubt != "" {
		return nil
	}
	before, v := guard.ParsePolicy(book.Policy()), m.chain.Head()
	var entries []guard.Entry
	var taken []string
	for _, path := range m.protectedPaths(v.State) {
		if !m.root.InRegion(path) || book.Baseline(path) != nil || m.modeBy(before, path) != guard.Trusted {
			continue
		}
		nodes := v.State.Nodes(path)
		file := guard.TextOf(nodes)
		if seen, drifts := m.drift()[path]; drifts {
			file = seen
		}
		entries = append(entries, guard.Entry{Baseline: guard.NewBaseline(nil, path, nodes, file, v.Commit.Seq)})
		taken = append(taken, path)
	}
	for _, path := range book.Paths() {
		if !m.Protected(path) {
			entries = append(entries, guard.Entry{Removed: path})
		}
	}
	entries = append(entries, guard.Entry{Policy: policy})
	if err := m.chain.Writer().Attest(ctx, guardMarks(entries...)...); err != nil {
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
