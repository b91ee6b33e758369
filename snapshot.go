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
	Index int           `json:"index" jsonschema:"0 is the newest"`
	Name  string        `json:"name" jsonschema:"empty for an automatic one"`
	Seq   uint64        `json:"seq" jsonschema:"the number of the commit"`
	Root  merkle.Digest `json:"root" jsonschema:"the digest of the whole state"`
	Time  time.Time     `json:"time" jsonschema:"of its commit"`
	Note  string        `json:"note" jsonschema:"what happened after it, or why it was named"`
}

// snapshotList returns the ledger's snapshots, newest first.
func (m *Memory) snapshotList() []entry { return m.snapshotSlot.At(m.chain.Head()).list() }

// Snapshots lists the snapshots, newest first. It does not wait for writers.
func (m *Memory) Snapshots() []Snapshot {
	list := m.snapshotList()
	out := make([]Snapshot, len(list))
	for i, k := range list {
		out[i] = k.snapshot(i)
	}
	return out
}

// Snapshot durably keeps the present state under a name; an empty name makes an automatic
// snapshot. Errors: Invalid (a name that reads as an index, a date or a digest; an empty
// memory), Denied (see author.Actor.Renames), ReadOnly.
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

// keepable returns why operation op cannot keep the present state under a name.
func (m *Memory) keepable(op, name string) error {
	switch {
	case m.closed:
		return errClosed
	case m.chain.Head().Commit.Seq == 0:
		return m.empty(op)
	}
	return nameable(name)
}

// empty returns the error of an operation that needs a state but has none: nothing was
// read yet, or a damaged store lost its contents.
func (m *Memory) empty(op string) error {
	if err := m.chain.Store().Err(); err != nil {
		return fail(op, m.state, ReadOnly, err)
	}
	return fail(op, m.dir, Invalid, errEmpty)
}

// newName denies an agent the name of another state, see author.Actor.Renames. The caller
// is the chain's writer, so the name stays free until it is used.
func (m *Memory) newName(ctx context.Context, name string) error {
	if a := m.actor(ctx); name == "" || a.Author.Kind != author.Agent || a.Renames {
		return nil
	}
	head := m.chain.Head().Commit.Seq
	for _, k := range m.snapshotList() {
		if k.name == name && k.seq != head {
			return fmt.Errorf("is the name of commit %d already; take a new one", k.seq)
		}
	}
	return nil
}

// keep adds a snapshot of the present state, unless it has one of that non-empty name.
func (m *Memory) keep(ctx context.Context, name string) (Snapshot, error) {
	at := m.chain.Head()
	same := func(o entry) bool { return o.seq == at.Commit.Seq && o.name == name }
	if i := slices.IndexFunc(m.snapshotList(), same); i >= 0 && name != "" {
		return m.snapshotList()[i].snapshot(i), nil
	}
	k := entryOf(at)
	k.name = name
	if err := m.chain.Writer().Mark(ctx, snapshotMark(k)); err != nil {
		return Snapshot{}, err
	}
	m.opts.Log.Info("kept a snapshot", "commit", k.seq, "name", name)
	i := slices.IndexFunc(m.snapshotList(), same)
	return k.snapshot(max(i, 0)), nil
}

// nameable rejects names that could mean another snapshot, commit or date.
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

var errEmpty = errors.New("the memory is empty; ingest a folder first")
