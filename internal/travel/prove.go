// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/options"
	"github.com/fovea-memory/fovea/proof"
)

// Prove returns a proof, against the newest signed head, that the moment ref has the node
// that it returns, or, with absent, that it has no node with this id. An empty ref is the
// newest commit. For an earlier one it reads all commits. Errors: NotFound, Conflict (the node
// to prove absent is present), Invalid (no key to sign with, a node that the format has no room
// for), ReadOnly (the state is not in the history), Corrupt.
func Prove(ctx context.Context, h *History, ref, id string, absent bool) (*proof.File, *node.Node, error) {
	head, err := h.SignedHead(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer h.scope.Chain.Reading()() // not before: a writer that replaces the store waits for readers
	seq := head.Seq
	if ref != "" {
		if seq, err = resolve(ctx, h, ref); err != nil {
			return nil, nil, err
		}
	}
	at, err := h.scope.Chain.PartAt(ctx, seq)
	if err != nil {
		return nil, nil, fault.Wrap("prove", ref, goneKind(err), err)
	}
	if at.State.Root() != at.Commit.Root {
		return nil, nil, fault.Errorf("prove", h.scope.Dir, fault.ReadOnly, "what memory holds is not in its history")
	}
	f := &proof.File{Format: proof.Format, Head: head.Note}
	if at.Commit.Digest != head.Commit {
		if err := addMoment(ctx, h, f, head.Seq, at.Commit); err != nil {
			return nil, nil, err
		}
	}
	n, there := at.State.Get(id)
	switch {
	case absent && there:
		return nil, nil, fault.Errorf("prove", id, fault.Conflict, "there is a note with this id")
	case absent:
		f.Absent = id
	case !there:
		return nil, nil, fault.Errorf("prove", id, fault.NotFound, "no such node then")
	case graph.IsGone(n):
		return nil, nil, fault.Wrap("prove", id, fault.NotFound, h.scope.Chain.Whole(ctx, at.State, seq))
	default:
		if f.Note, err = noteOf(n); err != nil {
			return nil, nil, fault.Wrap("prove", id, fault.Invalid, err)
		}
	}
	addMap(f, at.State.Tree().Prove(node.Key(id)))
	return f, n, nil
}

// ProveHeads returns a proof that the history of one signed head contains that of an
// earlier one; an empty text is the newest head. Errors: Invalid (not a signed head of a
// known key, or one that names no log), NotFound (a commit that is not in the history),
// and those of SignedHead.
func ProveHeads(ctx context.Context, h *History, from, to string) (*proof.File, error) {
	newest, err := h.SignedHead(ctx)
	if err != nil {
		return nil, err
	}
	defer h.scope.Chain.Reading()()
	from, to = cmp.Or(from, newest.Note), cmp.Or(to, newest.Note)
	var seqs [2]uint64
	for i, text := range []string{from, to} {
		head, _, err := chain.OpenHead(text, h.scope.Options.Verifiers)
		if err == nil && !head.HasLog() {
			err = errors.New("the signed head names no log of commits")
		}
		if err != nil {
			return nil, fault.Wrap("prove", "head", fault.Invalid, err)
		}
		if seqs[i] = head.Seq; head.Seq > newest.Seq {
			return nil, fault.Errorf("prove", "head", fault.NotFound, "it is of commit %d, the history ends at %d", head.Seq, newest.Seq)
		}
	}
	if seqs[0] > seqs[1] {
		return nil, fault.Errorf("prove", "head", fault.Invalid, "from is of commit %d, which is after %d, that of to", seqs[0], seqs[1])
	}
	hashes, err := chain.ProveLog(ctx, h.scope.Chain, seqs[1], seqs[0])
	if err != nil {
		return nil, fault.Wrap("prove", "head", fault.Corrupt, err)
	}
	return &proof.File{Format: proof.Format, Head: to, From: from, Log: joined(hashes)}, nil
}

// addMoment proves that the history of head has an earlier commit.
func addMoment(ctx context.Context, h *History, f *proof.File, head uint64, at chain.Commit) error {
	hashes, err := chain.ProveCommit(ctx, h.scope.Chain, head, at.Seq)
	if err != nil {
		return fault.Wrap("prove", fmt.Sprintf("seq:%d", at.Seq), fault.Corrupt, err)
	}
	f.Log = joined(hashes)
	f.Moment = &proof.Moment{Seq: int64(at.Seq), Commit: at.Digest.String(), Root: at.Root.String(), Time: at.Time.UTC().Format(chain.HeadTime)}
	return nil
}

// noteOf returns a node in the form of a proof.
func noteOf(n *node.Node) (*proof.Note, error) {
	if !utf8.ValidString(n.Path) || !utf8.ValidString(n.ID) {
		return nil, errors.New("its id or path is not UTF-8")
	}
	out := &proof.Note{ID: n.ID, Path: n.Path, Version: n.Version.String()}
	if n.Parent != "" {
		key := node.Key(n.Parent)
		out.Parent = key[:]
	}
	size := len(n.Content)
	if n.Bare || len(n.Attrs) > 0 || !utf8.ValidString(n.Content) {
		if err := n.Blocks(func(_ merkle.Digest, block []byte) error { // the own one is the last
			out.Block = slices.Clone(block)
			return nil
		}); err != nil {
			return nil, err
		}
		size = len(out.Block)
	} else {
		out.Type, out.Text = n.Type, &n.Content
	}
	if size > proof.MaxNote {
		return nil, fmt.Errorf("it has %d bytes, a proof takes up to %d", size, proof.MaxNote)
	}
	return out, nil
}

// addMap adds a proof of the Merkle map.
func addMap(f *proof.File, p merkle.Proof) {
	for _, s := range p.Steps {
		step := proof.Step{Kids: s.Kids, Leaves: s.Leaves}
		for _, d := range s.Beside {
			step.Beside = append(step.Beside, d[:]...)
		}
		f.Map = append(f.Map, step)
	}
	if o := p.Other; o != nil {
		f.Other = &proof.Other{Key: o.Key[:], Value: o.Value[:]}
	}
}

func joined(hashes []tlog.Hash) (out []byte) {
	for _, h := range hashes {
		out = append(out, h[:]...)
	}
	return out
}

// SignedHead is that of fovea.History.
func (h *History) SignedHead(ctx context.Context) (*history.Head, error) {
	tx := h.scope.Chain.Begin()
	defer tx.End()
	head := h.scope.Chain.Head().Commit
	switch {
	case h.scope.IsClosed(tx):
		return nil, fault.Wrap("head", h.scope.Dir, fault.Invalid, scope.ErrClosed)
	case head.Seq == 0:
		return nil, empty(h.scope, "head")
	}
	signed, err := tx.SignedHead(ctx)
	if errors.Is(err, chain.ErrNoKey) {
		return nil, fault.Wrap("head", h.scope.Dir, fault.Invalid, err)
	}
	return &history.Head{Note: signed, Seq: head.Seq, Commit: head.Digest, Root: head.Root, Time: head.Time},
		fault.Wrap("head", h.scope.StateDir, fault.Corrupt, err)
}

// Options returns the options that the memory of a history was opened with.
func Options(h *History) *options.Open { return &h.scope.Options }
