// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/merkle"
)

// Snapshot is a commit kept for rollback. Index 0 is the newest.
type Snapshot struct {
	Index int
	Name  string // "" for an automatic one
	Seq   uint64
	Root  merkle.Digest
	Time  time.Time // of the commit
	Note  string    // what happened after it, or why it was named
}

// snapshotList returns the ledger's snapshots, newest first.
func (m *Memory) snapshotList() []entry { return m.ledgers.snapshots.At(m.chain.Head()).list() }

// Snapshots lists the snapshots, newest first. It waits for no writer.
func (m *Memory) Snapshots() []Snapshot {
	list := m.snapshotList()
	out := make([]Snapshot, len(list))
	for i, k := range list {
		out[i] = k.snapshot(i)
	}
	return out
}

// Snapshot keeps the present state under a name, durably; an empty name keeps
// it as an automatic one. Errors: Invalid (a name that reads as an index, a
// date or a digest; an empty memory), Denied (see author.Actor.Renames), ReadOnly.
func (m *Memory) Snapshot(ctx context.Context, name string) (Snapshot, error) {
	defer m.chain.Begin().End()
	if err := m.keepable("snapshot", name); err != nil {
		return Snapshot{}, fail("snapshot", name, Invalid, err)
	}
	if err := m.newName(ctx, name); err != nil {
		return Snapshot{}, fail("snapshot", name, Denied, err)
	}
	s, err := m.keep(ctx, name)
	return s, fail("snapshot", name, ReadOnly, err)
}

// keepable says why the present state cannot be kept under a name; op is the operation that asks.
func (m *Memory) keepable(op, name string) error {
	switch {
	case m.closed:
		return errClosed
	case m.View().commit.Seq == 0:
		return m.empty(op)
	}
	return nameable(name)
}

// empty is the error of an operation that needs a state where there is none: because
// nothing was read yet, or because the store is damaged and lost what it had.
func (m *Memory) empty(op string) error {
	if err := m.chain.Store().Err(); err != nil {
		return fail(op, m.state, ReadOnly, err)
	}
	return fail(op, m.dir, Invalid, errEmpty)
}

// newName refuses an agent a name that another state has, see author.Actor.Renames. m.mu is held,
// so that nobody takes it in between.
func (m *Memory) newName(ctx context.Context, name string) error {
	if a := m.actor(ctx); name == "" || a.Author.Kind != author.Agent || a.Renames {
		return nil
	}
	head := m.View().commit.Seq
	for _, k := range m.snapshotList() {
		if k.name == name && k.seq != head {
			return fmt.Errorf("is the name of commit %d already; take a new one", k.seq)
		}
	}
	return nil
}

// keep keeps the present state. A name that it has already is no change.
func (m *Memory) keep(ctx context.Context, name string) (Snapshot, error) {
	at := m.chain.Head()
	same := func(o entry) bool { return o.seq == at.Commit.Seq && o.name == name }
	if i := slices.IndexFunc(m.snapshotList(), same); i >= 0 && name != "" {
		return m.snapshotList()[i].snapshot(i), nil
	}
	k := entryOf(at)
	k.name = name
	if err := m.chain.Held().Mark(ctx, snapshotMark(k)); err != nil {
		return Snapshot{}, err
	}
	m.opts.Log.Info("kept a snapshot", "commit", k.seq, "name", name)
	i := slices.IndexFunc(m.snapshotList(), same)
	return k.snapshot(max(i, 0)), nil
}

// nameable refuses names that could mean something else where a snapshot, a
// commit or a date is asked for.
func nameable(name string) error {
	switch {
	case name == "":
		return nil
	case len(name) > 100 || strings.ContainsAny(name, "\x00\n\r") || !utf8.ValidString(name):
		return errors.New("a name is one line of at most 100 bytes of UTF-8")
	case !parseRef(name).isName():
		return fmt.Errorf("%q reads as an index, a commit or a date; choose another name", name)
	}
	return nil
}
