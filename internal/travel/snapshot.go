// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
)

// Snapshot is a commit kept for rollback, see package history.
type Snapshot = history.Snapshot

// snapshotList returns the ledger's snapshots, newest first.
func (h *History) snapshotList() []snapshot { return h.slot.At(h.scope.Chain.Head()).list() }

// Snapshots lists the snapshots, newest first. It does not wait for writers.
func (h *History) Snapshots() []Snapshot {
	list := h.snapshotList()
	out := make([]Snapshot, len(list))
	for i, k := range list {
		out[i] = k.public(i)
	}
	return out
}

// Snapshot is that of fovea.History.
func (h *History) Snapshot(ctx context.Context, name string) (Snapshot, error) {
	tx := h.scope.Chain.Begin()
	defer tx.End()
	if err := h.keepable(ctx, tx, "snapshot", name); err != nil {
		return Snapshot{}, err
	}
	s, err := h.keep(ctx, tx, name)
	return s, fault.Wrap("snapshot", name, fault.ReadOnly, err)
}

// keepable returns an error if operation op cannot keep the present state under a name.
func (h *History) keepable(ctx context.Context, tx *chain.Tx, op, name string) error {
	switch {
	case h.scope.IsClosed(tx):
		return fault.Wrap(op, name, fault.Invalid, scope.ErrClosed)
	case h.scope.Chain.Head().Commit.Seq == 0:
		return empty(h.scope, op)
	case h.scope.Fence != nil:
		if err := h.scope.Fence.Enter(ctx, scope.Action{Name: op}); err != nil {
			return fault.Wrap(op, name, fault.Invalid, err)
		}
	}
	if err := nameable(name); err != nil {
		return fault.Wrap(op, name, fault.Invalid, err)
	}
	return fault.Wrap(op, name, fault.Denied, newName(h, h.scope.Actor(ctx), name))
}

// empty returns the error of an operation that needs a state when there is none: nothing was
// ingested yet, or a damaged store lost its contents.
func empty(s *scope.Scope, op string) error {
	if err := s.Chain.Store().Err(); err != nil {
		return fault.Wrap(op, s.StateDir, fault.ReadOnly, err)
	}
	return fault.Errorf(op, s.Dir, fault.Invalid, "the memory is empty; ingest a folder first")
}

// MaxNamed is the number of named states from which on only the owner can add one.
const MaxNamed = 2048

// newName denies an agent the name of another state, see author.Actor.Renames, and more than
// MaxNamed names. The caller is the chain's writer, so the name stays free until it is used.
func newName(h *History, a author.Actor, name string) error {
	if name == "" || a.Author.Kind != author.Agent || a.Renames {
		return nil
	}
	list := h.snapshotList()
	if len(list) >= MaxNamed {
		return fmt.Errorf("%d states are kept already; the owner alone keeps more", len(list))
	}
	head := h.scope.Chain.Head().Commit.Seq
	for _, k := range list {
		if k.name == name && k.seq != head {
			return fmt.Errorf("is the name of commit %d already; take a new one", k.seq)
		}
	}
	return nil
}

// keep adds a snapshot of the present state, unless it already has one of that non-empty name.
func (h *History) keep(ctx context.Context, tx *chain.Tx, name string) (Snapshot, error) {
	at := h.scope.Chain.Head()
	same := func(o snapshot) bool { return o.seq == at.Commit.Seq && o.name == name }
	if i := slices.IndexFunc(h.snapshotList(), same); i >= 0 && name != "" {
		return h.snapshotList()[i].public(i), nil
	}
	k := snapshotOf(at, name)
	if err := tx.Mark(ctx, chain.NewMark(snapshotName, k.fields()...)); err != nil {
		return Snapshot{}, err
	}
	h.scope.Options.Log.Info("kept a snapshot", "commit", at.Commit.Seq, "name", name)
	i := slices.IndexFunc(h.snapshotList(), same)
	return k.public(max(i, 0)), nil
}

// nameable rejects invalid names, and those that could mean another snapshot, commit or date.
func nameable(name string) error {
	switch {
	case name == "":
		return nil
	case len(name) > 100 || strings.ContainsAny(name, "\x00\n\r") || !utf8.ValidString(name):
		return errors.New("a name is one line of at most 100 bytes of UTF-8")
	case !isName(name, time.Now):
		return fmt.Errorf("%q reads as an index, a commit or a date; choose another name", name)
	}
	return nil
}
