// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/options"
)

// Files lists the protected files of the memory's own scope, sorted by path,
// with their states. It reads and hashes each. O(bytes of protected files).
func (g *Guard) Files() []guard.FileStatus { return g.fileStatuses(g.scope.Present()) }

// Protected reports whether only the owner may write the file at a path below the memex. Of
// all paths that lead to the file, the strictest rule applies.
func (g *Guard) Protected(path string) bool { return g.rights.Protected(path) }

// ByOwner reports whether the actor is the owner, who may see files in lockdown and decide
// about them.
func (g *Guard) ByOwner(ctx context.Context) bool { return g.rights.ByOwner(ctx) }

// Policy returns the rules for protected files as text, one line per rule in order of
// evaluation: its group number, mode and pattern.
func (g *Guard) Policy() string { return g.rights.Policy.String() }

// Diff returns the state of a protected file and the changes of its headlines and
// blocks since it was trusted. The changes lack the trusted text if history no longer has
// it. Errors: Denied (the caller is not the owner, and the text is not accepted yet),
// NotFound (the file is not protected, or never existed). O(bytes of the file).
func (g *Guard) Diff(ctx context.Context, path string) (guard.FileStatus, []guard.Change, error) {
	if err := g.requireOwner(ctx, "guard diff", path); err != nil {
		return guard.FileStatus{}, nil, err
	}
	s, err := g.protectedFile("guard diff", path)
	if err != nil {
		return s, nil, err
	}
	return s, g.changes(&s), nil
}

// protectedFile returns the status of a file, which must be protected.
func (g *Guard) protectedFile(op, path string) (guard.FileStatus, error) {
	if !g.rights.Protected(path) || !g.scope.Root.InRegion(path) {
		return guard.FileStatus{}, fault.Errorf(op, path, fault.NotFound, "the file is not protected; see fovea guard policy")
	}
	s := g.fileStatus(g.rights.Trust().Book, g.scope.Present(), path)
	if s.Baseline == nil && s.File == guard.Absent && s.State == guard.Same {
		return s, fault.Errorf(op, path, fault.NotFound, "no such file, and none was trusted")
	}
	return s, nil
}

// changes compares a protected file with its baseline.
func (g *Guard) changes(s *guard.FileStatus) []guard.Change {
	var was, now []guard.Part
	if s.Baseline != nil {
		was = s.Baseline.Parts
		if nodes, err := g.trustedNodes(s.Baseline); err == nil && len(nodes) > 0 {
			was = guard.Parts(parseNodes(g.scope, s.Path, node.Join(nodes)))
		}
	}
	if text, _, err := g.scope.Root.Read(s.Path, 0); err == nil {
		now = guard.Parts(parseNodes(g.scope, s.Path, text))
	}
	return guard.Diff(was, now)
}

// parseNodes parses a text into the nodes of a file, independent of any state.
func parseNodes(s *scope.Scope, path, text string) []*node.Node {
	nodes, _ := node.Read(s.Options.Formats, path, nil, document.File(text, s.Root.Opaque(path))).Nodes(func(node.Claim) bool { return true })
	return nodes
}

// trustedNodes reads the trusted nodes of a file from history, in order; none if the file is
// trusted to be absent.
func (g *Guard) trustedNodes(b *guard.Baseline) ([]*node.Node, error) {
	var nodes []*node.Node
	for _, d := range b.OwnDigests() {
		n, err := node.ReadOwn(d, g.scope.Chain.Block)
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
// records the decision, or the zero Commit if the text was already trusted. Errors: NotFound,
// Conflict, Denied (the caller is not the owner), Busy, ReadOnly, Other.
func (g *Guard) Adopt(ctx context.Context, path string, opts *scope.WriteOptions) (chain.Commit, error) {
	tx := g.scope.Chain.Begin()
	defer tx.End()
	d, err := g.prepareDecision(ctx, tx, "guard adopt", path, opts.OrZero())
	if err != nil || d.State == guard.Same {
		return d.made, err
	}
	nodes := d.head.Nodes(path)
	if guard.TextOf(nodes) != d.File {
		return chain.Commit{}, fault.Errorf(d.action.Name, path, fault.Conflict, "memory does not hold what the file does; see fovea status")
	}
	entries := []guard.Entry{{Baseline: guard.NewBaseline(d.Baseline, path, nodes, d.File, g.scope.Chain.Head().Commit.Seq)}}
	if d.State == guard.Unsigned {
		entries = g.resetBaselines(d.head, guard.NewBaseline(nil, path, nodes, d.File, g.scope.Chain.Head().Commit.Seq))
	}
	d.action.Message, d.action.Now = "adopted "+path, g.scope.Options.Now()
	return write.Decide(ctx, tx, d.head, g.scope.NewCommit(ctx, d.action), scope.TrustMarks(entries...)...)
}

// resetBaselines discards all baselines and trusts one file. The owner was alerted to the other
// files and adopts each separately.
func (g *Guard) resetBaselines(head *graph.State, base *guard.Baseline) []guard.Entry {
	entries := []guard.Entry{{Reset: true}, {Policy: g.rights.Policy.String()}}
	for _, s := range g.fileStatuses(head) {
		if s.Path != base.Path {
			entries = append(entries, guard.Entry{Notified: s.Path, File: s.File})
		}
	}
	return append(entries, guard.Entry{Baseline: base})
}

// Reject restores the trusted bytes of a protected file, or removes a file that was never
// trusted. The rejected text stays in history. opts, the commit and the errors are as for
// Adopt; the error is also NotFound if history no longer has the trusted bytes.
func (g *Guard) Reject(ctx context.Context, path string, opts *scope.WriteOptions) (chain.Commit, error) {
	tx := g.scope.Chain.Begin()
	defer tx.End()
	d, err := g.prepareDecision(ctx, tx, "guard reject", path, opts.OrZero())
	if err != nil || d.State == guard.Same {
		return d.made, err
	}
	if d.State == guard.Unsigned {
		return chain.Commit{}, fault.Errorf(d.action.Name, path, fault.Conflict,
			"no known key signed what was trusted of it; put the file right yourself, then fovea guard adopt it")
	}
	var want []*node.Node
	if d.Baseline != nil {
		if want, err = g.trustedNodes(d.Baseline); err != nil {
			return chain.Commit{}, fault.Wrap(d.action.Name, path, fault.NotFound, err)
		}
	}
	d.action.Message, d.action.Now = "rejected what "+path+" held", g.scope.Options.Now()
	present := g.scope.Present()
	draft, w := present.Edit(d.action.Now.UnixMilli()), write.FileWrite{Path: path, Next: corpus.Next{Gone: len(want) == 0, Setup: present.Asked(path)}}
	if w.Next.Gone {
		draft.Drop(path)
	} else {
		w.Next.Text = node.Join(want)
		draft.Put(path, document.File(w.Next.Text, g.scope.Root.Opaque(path)))
	}
	if d.File != guard.Absent {
		w.Base = d.File
	}
	state, delta := draft.Seal()
	op := g.writer.Begin(ctx, tx, d.action)
	if err := op.Prepare(w); err != nil {
		return chain.Commit{}, err
	}
	return op.Run(ctx, state, &delta)
}

// decision is a file that the owner decides about, and the present state of memory.
type decision struct {
	guard.FileStatus // Same if there is nothing to decide
	action           scope.Action
	head             *graph.State
	made             chain.Commit // that of an earlier call with the same key
}

// prepareDecision authorizes the caller, ingests the present file, and checks that it is still the
// reviewed one.
func (g *Guard) prepareDecision(ctx context.Context, tx *chain.Tx, op, path string, opts *scope.WriteOptions) (decision, error) {
	d := decision{action: scope.Action{Name: op, Kind: graph.KindGuard, Key: opts.Key}}
	d.State = guard.Same
	if first, err := g.scope.Enter(ctx, tx, d.action); first != nil || err != nil {
		d.made = g.scope.Replay(first)
		return d, err
	}
	if err := g.requireOwner(ctx, op, path); err != nil {
		return d, err
	}
	if _, err := g.protectedFile(op, path); err != nil {
		return d, err
	}
	if err := RunTx(ctx, tx, g.folder, &options.Ingest{}); err != nil {
		return d, err
	}
	if _, err := g.folder.Refresh(ctx, tx, scope.Action{Name: op, Now: g.scope.Options.Now()}, path); err != nil && fault.KindOf(err) != fault.NotFound {
		return d, err
	}
	d.head = g.scope.Present()
	d.FileStatus = g.fileStatus(g.rights.Trust().Book, d.head, path)
	if d.State == guard.Unreadable || d.State == guard.BeingWritten {
		return d, fault.Wrap(op, path, fault.Busy, errors.New(d.Why))
	}
	if !opts.Base.IsZero() && opts.Base != d.File {
		return d, fault.Errorf(op, path, fault.Conflict, "the file changed since it was looked at; it now has the SHA-256 %x", d.File[:])
	}
	return d, nil
}

// requireOwner denies an operation to all but the owner.
func (g *Guard) requireOwner(ctx context.Context, op, path string) error {
	if g.rights.ByOwner(ctx) {
		return nil
	}
	return fault.Errorf(op, path, fault.Denied, "only the owner looks at and decides about what changed in a protected file")
}
