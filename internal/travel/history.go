// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Log is that of fovea.History.
func (h *History) Log(ctx context.Context, id string, limit int) ([]chain.Commit, error) {
	defer h.scope.Chain.Reading()()
	at := h.scope.Chain.Head()
	var out []chain.Commit
	take := func(c *graph.Commit, changes int) error {
		s := chain.Summary(c)
		s.Changes = changes
		if out = append(out, s); len(out) == limit {
			return chain.ErrStop
		}
		return nil
	}
	if id == "" {
		all := ""
		err := h.scope.Chain.About(ctx, &all, store.Span{From: 1, To: at.Commit.Seq, Backward: true}, func(c *graph.Commit) error { return take(c, len(c.Delta)) })
		if err == nil && len(out) == 0 && store.LacksHistory(h.scope.Chain.Store().Err()) {
			err = h.scope.Chain.Store().Err()
		}
		return out, fault.Wrap("log", "", fault.Corrupt, err)
	}
	last, err := h.scope.Chain.CurrentID(ctx, at, id)
	if err == nil {
		_, err = h.scope.Chain.Trail(ctx, last, 1, at.Commit.Seq, func(s *chain.Step) error { return take(s.Commit, 1) })
	}
	switch {
	case err != nil:
		return nil, fault.Wrap("log", id, fault.Corrupt, err)
	case len(out) == 0:
		return nil, fault.Errorf("log", id, fault.NotFound, "no such node in the history")
	}
	return out, nil
}

// CurrentID returns the present or last id of a node that once had id, see chain.CurrentID.
func CurrentID(ctx context.Context, h *History, id string) (string, error) {
	defer h.scope.Chain.Reading()()
	return h.scope.Chain.CurrentID(ctx, h.scope.Chain.Head(), id)
}

// At is that of fovea.History.
func (h *History) At(ctx context.Context, ref string) (*view.View, error) {
	defer h.scope.Chain.Reading()()
	seq, err := resolve(ctx, h, ref)
	if err != nil {
		return nil, err
	}
	at, err := h.scope.Chain.At(ctx, seq)
	if err != nil {
		return nil, fault.Wrap("history", ref, goneKind(err), err)
	}
	return at.Derived.(*view.View), nil
}

// Version is that of fovea.History.
func (h *History) Version(ctx context.Context, id string, d merkle.Digest) (*node.Node, error) {
	defer h.scope.Chain.Reading()()
	var entry *node.Entry
	then := ""
	at := h.scope.Chain.Head()
	last, err := h.scope.Chain.CurrentID(ctx, at, id)
	if err == nil {
		var kids []string // after the current step
		if n, ok := at.State.Get(last); ok {
			kids = n.Kids
		}
		_, err = h.scope.Chain.Trail(ctx, last, 1, at.Commit.Seq, func(s *chain.Step) (err error) {
			if s.After != nil && (s.After.Own == d || s.After.Version == d) {
				whole := *s.After
				whole.Kids = kids
				entry, then = &whole, s.Is
				return chain.ErrStop
			}
			kids, err = s.ChildrenBefore(kids)
			return err
		})
	}
	if err != nil {
		return nil, fault.Wrap("history", id, fault.Corrupt, err)
	}
	if entry == nil {
		return nil, fault.Errorf("history", id, fault.NotFound, "no version %s of this node", d)
	}
	n, err := h.scope.Chain.Version(ctx, entry.Own)
	if err != nil {
		return nil, fault.Wrap("history", id, goneKind(err), err)
	}
	n = n.Place(then, *entry)
	node.DeriveAlone(h.scope.Options.Formats, n)
	return n, nil
}

// Was is that of fovea.History.
func (h *History) Was(ctx context.Context, id string, at *view.View) (string, error) {
	defer h.scope.Chain.Reading()()
	now := h.scope.Chain.Head()
	id, err := h.scope.Chain.CurrentID(ctx, now, id)
	if err == nil {
		id, err = h.scope.Chain.Trail(ctx, id, at.Head().Seq+1, now.Commit.Seq, func(*chain.Step) error { return nil })
	}
	if err != nil {
		return "", fault.Wrap("history", id, fault.Corrupt, err)
	}
	if _, ok := at.Get(id); !ok {
		return "", nil
	}
	return id, nil
}

// goneKind returns the kind of an error from reading history.
func goneKind(err error) fault.Kind {
	if errors.Is(err, graph.ErrGone) {
		return fault.NotFound
	}
	return fault.Corrupt
}
