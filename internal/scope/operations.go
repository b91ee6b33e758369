// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
)

// WriteOptions are the options of one write, see package history.
type WriteOptions = history.WriteOptions

// Action is an operation that makes a commit.
type Action struct {
	Name    string // of the operation, for errors
	Kind    string // of the commit
	Key     string // idempotency key, "" for none
	Message string // of the commit
	Now     time.Time
	DryRun  bool // check, and change nothing
}

// ActionOf returns the action of a write that can be a dry run, which repeats no earlier one.
func ActionOf(o *WriteOptions, name, kind string) Action {
	a := Action{Name: name, Kind: kind, Key: o.Key, DryRun: o.DryRun}
	if o.DryRun {
		a.Key = ""
	}
	return a
}

// NewCommit returns the commit of an action by the actor of ctx, still without changes.
// Without a key it generates one.
func (s *Scope) NewCommit(ctx context.Context, a Action) graph.Commit {
	by, key := s.Actor(ctx), a.Key
	if key == "" {
		key = Operation()
	}
	c := graph.Commit{
		Kind: a.Kind, Author: by.Author, Session: by.Session,
		Op: opOf(by, key), Time: a.Now.UnixMilli(), Message: a.Message,
	}
	if by.AcceptedBy != "" {
		c.Message += "; accepted by " + by.AcceptedBy
	}
	chain.Legible(&c)
	return c
}

// maxOpBytes is the maximum length of an operation key.
const maxOpBytes = 200

// Enter is the first step of each action: it checks that the scope is open and can be
// written. If an earlier action had the same key, it returns that one's commit. Errors:
// Invalid, ReadOnly, Conflict (the actor's claim is not in force), and those of Earlier.
func (s *Scope) Enter(ctx context.Context, tx *chain.Tx, a Action) (first *graph.Commit, err error) {
	if s.closed {
		return nil, fault.Wrap(a.Name, s.Dir, fault.Invalid, ErrClosed)
	}
	if first, err = s.Earlier(ctx, tx, a); first != nil || err != nil {
		return first, err
	}
	if err := s.Chain.Store().Err(); err != nil || s.Fence == nil {
		return nil, fault.Wrap(a.Name, s.StateDir, fault.ReadOnly, err)
	}
	return nil, s.Fence.Enter(ctx, a)
}

// Earlier returns the commit of an earlier action with the same key, nil for none. It denies
// an agent without rights, because every action calls it. Errors: Denied, Conflict (the key
// is that of an action of another kind or author), Corrupt.
func (s *Scope) Earlier(ctx context.Context, tx *chain.Tx, a Action) (*graph.Commit, error) {
	if by := s.Actor(ctx); by.Author.Kind == author.Agent && by.May == nil {
		return nil, fault.Wrap(a.Name, "", fault.Denied, ErrNoRights)
	}
	if a.Key == "" {
		return nil, nil
	}
	want := s.NewCommit(ctx, a)
	if len(want.Op) > maxOpBytes {
		return nil, fault.Invalidf(a.Name, "an op is at most %d bytes long", maxOpBytes)
	}
	first, err := tx.FirstOf(ctx, want.Op)
	switch {
	case err != nil:
		return nil, fault.Wrap(a.Name, s.StateDir, fault.Corrupt, err)
	case first != nil && (first.Kind != a.Kind || first.Author != want.Author):
		return nil, fault.Errorf(a.Name, a.Key, fault.Conflict,
			"the op is that of commit %d already, of the kind %s by %s", first.Seq, first.Kind, first.Author)
	}
	return first, nil
}

// Replay returns the result of an action's first commit; zero for nil.
func (s *Scope) Replay(first *graph.Commit) chain.Commit {
	if first == nil {
		return chain.Commit{}
	}
	c := chain.Summary(first)
	if head := s.Chain.Head().Commit; head.Seq == c.Seq {
		c.Documents = head.Documents
	}
	return c
}

// ErrClosed is returned after a memory was closed.
var ErrClosed = errors.New("the memory is closed")

// ErrNoRights denies an agent without defined rights.
var ErrNoRights = errors.New("the agent has no rights; its caller must set them, see author.Actor.May and ops.Hold")

// FailWrite returns err with the Kind of its file error.
func FailWrite(op, what string, err error) error {
	for _, k := range writeKinds {
		if slices.ContainsFunc(k.causes, func(cause error) bool { return errors.Is(err, cause) }) {
			return fault.Wrap(op, what, k.kind, err)
		}
	}
	return fault.Wrap(op, what, fault.Other, err)
}

// writeKinds are the kinds of file errors. The first that fits counts.
var writeKinds = []struct {
	kind   fault.Kind
	causes []error
}{
	{fault.Invalid, []error{corpus.ErrElsewhere, corpus.ErrOutside, corpus.ErrTooLarge, corpus.ErrName, corpus.ErrLink, corpus.ErrSpecial,
		corpus.ErrNotFolder}},
	{fault.NotFound, []error{corpus.ErrVanished, corpus.ErrDangling}},
	{fault.ReadOnly, []error{corpus.ErrReadOnlyFile}},
	{fault.Busy, []error{corpus.ErrBusy}},
	{fault.Conflict, []error{corpus.ErrChanged}},
}
