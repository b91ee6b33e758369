// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// ProtectedFiles lists the protected files of the memory's own scope, sorted by path,
// with their states. It reads and hashes each. O(bytes of protected files).
func (m *Memory) ProtectedFiles() []guard.FileStatus { return m.fileStatuses(m.present()) }

// Policy returns the rules for protected files as text, one line per rule in order of
// evaluation: its group number, mode and pattern.
func (m *Memory) Policy() string { return m.policy.String() }

// GuardDiff returns the state of a protected file and the changes of its headlines and
// blocks since it was trusted. The changes lack the trusted text if history no longer has
// it. Errors: Denied (the caller is not the owner, and the text is not accepted yet),
// NotFound (the file is not protected, or never existed). O(bytes of the file).
func (m *Memory) GuardDiff(ctx context.Context, path string) (guard.FileStatus, []guard.Change, error) {
	if err := m.requireOwner(ctx, "guard diff", path); err != nil {
		return guard.FileStatus{}, nil, err
	}
	s, err := m.protectedFile("guard diff", path)
	if err != nil {
		return s, nil, err
	}
	return s, m.changes(&s), nil
}

// protectedFile returns the status of a file, which must be protected.
func (m *Memory) protectedFile(op, path string) (guard.FileStatus, error) {
	if !m.Protected(path) || !m.root.InRegion(path) {
		return guard.FileStatus{}, fail(op, path, NotFound, errors.New("the file is not protected; see fovea guard policy"))
	}
	s := m.fileStatus(m.trust().book, m.present(), path)
	if s.Baseline == nil && s.File == guard.Absent && s.State == guard.Same {
		return s, fail(op, path, NotFound, errors.New("no such file, and none was trusted"))
	}
	return s, nil
}

// changes compares a protected file with its baseline.
func (m *Memory) changes(s *guard.FileStatus) []guard.Change {
	var was, now []guard.Part
	if s.Baseline != nil {
		was = s.Baseline.Parts
		if nodes, err := m.trustedNodes(s.Baseline); err == nil && len(nodes) > 0 {
			was = guard.Parts(m.parseNodes(s.Path, node.Join(nodes)))
		}
	}
	if text, _, err := m.root.Read(s.Path, 0); err == nil {
		now = guard.Parts(m.parseNodes(s.Path, text))
	}
	return guard.Diff(was, now)
}

// parseNodes parses a text into the nodes of a file, independent of any state.
func (m *Memory) parseNodes(path, text string) []*node.Node {
	nodes, _ := node.ParseFile(path, text, m.root.Opaque(path), nil).Nodes(func(node.Claim) bool { return true })
	return nodes
}

// trustedNodes reads the trusted nodes of a file from history, in order; none if the trusted
// state is that the file is absent.
func (m *Memory) trustedNodes(b *guard.Baseline) ([]*node.Node, error) {
	var nodes []*node.Node
	for _, d := range b.OwnDigests() {
		n, err := node.ReadOwn(d, m.chain.Block)
		if err != nil {
			return nil, fmt.Errorf("the trusted text is no longer kept: %w", err)
		}
		nodes = append(nodes, n)
	}
	if guard.TextOf(nodes) != b.Memory {
		return nil, errors.New("the trusted text is damaged")
	}
	return nodes, nil
}

// Adopt makes the current text of a protected file the trusted text, after its owner has
// reviewed it. opts.Base is the SHA-256 of the reviewed file. It returns the commit that
// records the decision, or the zero Commit if the file was as trusted. Errors: NotFound,
// Conflict, Denied (the caller is not the owner), Busy, ReadOnly, Other.
func (m *Memory) Adopt(ctx context.Context, path string, opts *WriteOptions) (Commit, error) {
	defer m.chain.Begin().End()
	opts = opts.orZero()
	if first, err := m.repeated(ctx, opts, "guard adopt", graph.KindGuard); first != nil || err != nil {
		return m.answered(first, nil), err
	}
	d, err := m.prepareDecision(ctx, "guard adopt", path, opts.Base)
	if err != nil || d.State == guard.Same {
		return Commit{}, err
	}
	nodes := d.head.Nodes(path)
	if guard.TextOf(nodes) != d.File {
		return Commit{}, fail(d.op, path, Conflict, errors.New("memory does not hold what the file does; see fovea status"))
	}
	entries := []guard.Entry{{Baseline: guard.NewBaseline(d.Baseline, path, nodes, d.File, m.chain.Head().Commit.Seq)}}
	if d.State == guard.Unsigned {
		entries = m.resetBaselines(d.head, guard.NewBaseline(nil, path, nodes, d.File, m.chain.Head().Commit.Seq))
	}
	c := m.entry(ctx, opts.Key, graph.KindGuard, "adopted "+path, m.opts.Now().UnixMilli())
	return m.chain.Writer().Append(context.WithoutCancel(ctx), d.head, &graph.Delta{}, c, guardMarks(entries...)...)
}

// resetBaselines discards all baselines and trusts one file. The owner, who was alerted to
// the other files, adopts each of them separately.
func (m *Memory) resetBaselines(head *graph.State, base *guard.Baseline) []guard.Entry {
	entries := []guard.Entry{{Reset: true}, {Policy: m.policy.String()}}
	for _, s := range m.fileStatuses(head) {
		if s.Path != base.Path {
			entries = append(entries, guard.Entry{Notified: s.Path, File: s.File})
		}
	}
	return append(entries, guard.Entry{Baseline: base})
}

// Reject restores the trusted bytes of a protected file, or removes a file that was never
// trusted. The rejected text stays in history. opts, the commit and the errors are as for
// Adopt; the error is also NotFound if history no longer has the trusted bytes.
func (m *Memory) Reject(ctx context.Context, path string, opts *WriteOptions) (Commit, error) {
	defer m.chain.Begin().End()
	opts = opts.orZero()
	if first, err := m.repeated(ctx, opts, "guard reject", graph.KindGuard); first != nil || err != nil {
		return m.answered(first, nil), err
	}
	d, err := m.prepareDecision(ctx, "guard reject", path, opts.Base)
	if err != nil || d.State == guard.Same {
		return Commit{}, err
	}
	if d.State == guard.Unsigned {
		return Commit{}, fail(d.op, path, Conflict, errors.New("no known key signed what was trusted of it; put the file right yourself, then fovea guard adopt it"))
	}
	var want []*node.Node
	if d.Baseline != nil {
		if want, err = m.trustedNodes(d.Baseline); err != nil {
			return Commit{}, fail(d.op, path, NotFound, err)
		}
	}
	now := m.opts.Now().UnixMilli()
	draft, w := m.draft(now), fileWrite{path: path, next: corpus.Next{Gone: len(want) == 0}}
	if w.next.Gone {
		draft.Drop(path)
	} else {
		w.next.Text = node.Join(want)
		draft.Put(path, w.next.Text, m.root.Opaque(path))
	}
	if d.File != guard.Absent {
		w.base = d.File
	}
	state, delta := draft.Seal()
	op := m.begin(ctx, opts.Key, d.op, graph.KindGuard, "rejected what "+path+" held", now)
	if err := op.sweep([]string{path}); err != nil {
		return Commit{}, err
	}
	if err := op.stage(w); err != nil {
		return Commit{}, errors.Join(op.fail(path, err), op.discard())
	}
	return op.run(ctx, state, &delta)
}

// decision is the file that the owner decides about, and its state in memory.
type decision struct {
	guard.FileStatus
	op   string
	head *graph.State
}

// prepareDecision authorizes the caller, ingests the present file, and checks that it is
// still the one reviewed. The caller is the chain's writer.
func (m *Memory) prepareDecision(ctx context.Context, op, path string, seen merkle.Digest) (decision, error) {
	d := decision{op: op}
	if m.closed {
		return d, fail(op, m.dir, Invalid, errClosed)
	}
	if err := m.chain.Store().Err(); err != nil {
		return d, fail(op, m.state, ReadOnly, err)
	}
	if err := m.requireOwner(ctx, op, path); err != nil {
		return d, err
	}
	if _, err := m.protectedFile(op, path); err != nil {
		return d, err
	}
	if err := m.ingest(ctx, &IngestOptions{}); err != nil {
		return d, err
	}
	if _, err := m.refresh(ctx, op, path, m.opts.Now()); err != nil && KindOf(err) != NotFound {
		return d, err
	}
	d.head = m.present()
	d.FileStatus = m.fileStatus(m.trust().book, d.head, path)
	if d.State == guard.Unreadable || d.State == guard.BeingWritten {
		return d, fail(op, path, Busy, errors.New(d.Why))
	}
	if !seen.IsZero() && seen != d.File {
		return d, fail(op, path, Conflict, fmt.Errorf("the file changed since it was looked at; it now has the SHA-256 %s", hexDigest(d.File)))
	}
	return d, nil
}

// ByOwner reports whether the actor is the owner, who may see files in lockdown and decide
// about them.
func (m *Memory) ByOwner(ctx context.Context) bool {
	return m.actor(ctx).Author == owner
}

// requireOwner denies an operation to all but the owner.
func (m *Memory) requireOwner(ctx context.Context, op, path string) error {
	if m.ByOwner(ctx) {
		return nil
	}
	return fail(op, path, Denied, errors.New("only the owner looks at and decides about what changed in a protected file"))
}

// hexDigest formats a digest as sha256sum does.
func hexDigest(d merkle.Digest) string { return fmt.Sprintf("%x", d[:]) }
