// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// owner is the author whose word over protected files counts: the person, not an
// agent.
var owner = author.Author{Kind: author.Owner}

var (
	errProtected = errors.New("the file is protected; only its owner writes it")
	errLocked    = errors.New("the file was changed outside Fovea and is locked down; see fovea guard diff, then adopt or reject that")
)

// trusted reports whether memory has of a protected file what its owner trusts.
func trusted(book *guard.Book, state *graph.State, path string) bool {
	nodes := state.Nodes(path)
	if b := book.Baseline(path); b != nil {
		return b.Matches(nodes)
	}
	return len(nodes) == 0 || !book.Initialized()
}

// vouched reports whether an agent may be told of a node: the state has of its file
// what its owner trusts, or the file is not locked down where somebody changes it.
func (m *Memory) vouched(state *graph.State, n *node.Node) bool {
	return m.mode(n.Path) != guard.Lockdown || m.guard.doubt.Load() == nil && trusted(m.guard.book.Load(), state, n.Path)
}

// trustedBy returns what a commit makes of the baselines of the files that it is
// about: an edit of the owner is trusted, on top of what was; anything else only
// where it brings back what was trusted before. marks, those of the commit, say
// which files differ from memory on purpose.
func (m *Memory) trustedBy(c *graph.Commit, before, after *graph.State, paths []string, marks [][]byte) []guard.Entry {
	book := m.guard.book.Load()
	if c.Kind == graph.KindIngest || c.Author != owner || !book.Initialized() || m.guard.doubt.Load() != nil {
		return nil
	}
	var entries []guard.Entry
	for _, path := range paths {
		if !m.Protected(path) {
			continue
		}
		base, nodes := book.Baseline(path), after.Nodes(path)
		text := guard.TextOf(nodes)
		file := text
		if seen, drifts := driftIn(marks, path); drifts {
			file = seen
		}
		edited := c.Kind == graph.KindEdit && trusted(book, before, path)
		if !edited && (base == nil || !base.Trusts(text)) {
			if base != nil || len(nodes) > 0 {
				entries = append(entries, guard.Entry{Notified: path, File: file}) // its owner did that
			}
			continue
		}
		entries = append(entries, guard.Entry{Baseline: guard.NewBaseline(base, path, nodes, file, c.Seq)})
	}
	return entries
}

// driftIn finds among marks what a file holds that differs from memory on purpose.
func driftIn(marks [][]byte, path string) (merkle.Digest, bool) {
	for _, mark := range marks {
		r := merkle.NewReader(mark)
		if n, kind := r.List(), r.Text(); n != 3 || kind != markDrift || string(r.Bytes()) != path {
			continue
		}
		if d := r.Link(); r.Done() == nil && !d.IsZero() {
			return d, true
		}
	}
	return merkle.Digest{}, false
}

// takeBaselines trusts what is there when a policy is new: at the first ingest all
// protected files, later those that were not protected before. A file that comes
// to a place that is protected already is not taken. m.mu is held.
func (m *Memory) takeBaselines(ctx context.Context, opts *IngestOptions) error {
	book, policy := m.guard.book.Load(), m.guard.policy.String()
	if book.Policy() == policy || m.store.Err() != nil || m.guard.doubt.Load() != nil {
		return nil
	}
	before, v := guard.ParsePolicy(book.Policy()), m.View()
	var entries []guard.Entry
	var taken []string
	for _, path := range m.watch(v.state) {
		if !m.root.InRegion(path) || book.Baseline(path) != nil || m.modeBy(before, path) != guard.Trusted {
			continue
		}
		nodes := v.state.Nodes(path)
		file := guard.TextOf(nodes)
		if seen, drifts := m.drift[path]; drifts {
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
	if err := m.mark(ctx, m.withBook(ctx, guardMarks(entries...))...); err != nil {
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

// guardMarkBytes is from how many bytes on entries go into another mark.
const guardMarkBytes = 1 << 20

// guardMarks writes entries down, several in one mark.
func guardMarks(entries ...guard.Entry) [][]byte {
	var marks [][]byte
	for len(entries) > 0 {
		var body []byte
		n := 0
		for n < len(entries) && len(body) < guardMarkBytes {
			body = entries[n].Append(body)
			n++
		}
		b := merkle.AppendList(nil, 2)
		b = merkle.AppendText(b, markGuard)
		b = merkle.AppendList(b, n)
		marks = append(marks, append(b, body...))
		entries = entries[n:]
	}
	return marks
}

// read takes the entries of a mark into account.
func (g *guarding) read(r *merkle.Reader) error {
	entries, err := readEntries(r)
	if err == nil && r.Err() == nil {
		g.book.Store(g.book.Load().With(entries...))
	}
	return err
}

func readEntries(r *merkle.Reader) ([]guard.Entry, error) {
	var entries []guard.Entry
	for range r.List() {
		e, err := guard.ReadEntry(r)
		if err != nil {
			return nil, fmt.Errorf("guard: %w", err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// moments are the commits whose states hold what is trusted.
func (g *guarding) moments() []uint64 {
	book := g.book.Load()
	var out []uint64
	for _, path := range book.Paths() {
		out = append(out, book.Baseline(path).Seq)
	}
	return out
}
