// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// actorKey is the context key of the actor.
type actorKey struct{}

// WithActor returns a context whose operations have an actor. An empty Session or Op is
// inherited from the context, or else from Options (Session only). The other fields are
// inherited together if neither Author nor May is set. An op identifies one operation: use a
// unique key for each, such as a random UUID, of at most 200 bytes.
//
// At least the newest 10,000 operations are remembered, across restarts. An operation that
// failed or changed nothing leaves no record and runs again when repeated. An op used by
// another author or for another kind of operation is a Conflict; the caller must ensure that
// the rest of the request is the same. Changes read from files have the author kind
// author.File and ignore the author and op of the context.
func WithActor(ctx context.Context, a author.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, filled(a, actorOf(ctx)))
}

// filled completes an actor from another one.
func filled(a, was author.Actor) author.Actor {
	if a.Author.IsZero() && a.May == nil {
		a.Author, a.Vouched, a.May, a.Renames = was.Author, was.Vouched, was.May, was.Renames
	}
	a.Session, a.Op = cmp.Or(a.Session, was.Session), cmp.Or(a.Op, was.Op)
	return a
}

// Prefixes of an op. An op chosen by a caller has neither, so no caller can make a commit
// look like a token's.
const (
	opToken    = chain.VouchedOp // a token proves the author
	opAsserted = "asserted:"     // escapes an op that has one of the prefixes
)

// opOf returns the op of an actor as recorded in commits.
func opOf(a author.Actor) string {
	switch {
	case a.Vouched:
		return opToken + a.Op
	case strings.HasPrefix(a.Op, opToken), strings.HasPrefix(a.Op, opAsserted):
		return opAsserted + a.Op
	}
	return a.Op
}

func actorOf(ctx context.Context) author.Actor {
	a, _ := ctx.Value(actorKey{}).(author.Actor)
	return a
}

// actor returns the actor of an operation: the context's, else that of Options.
func (m *Memory) actor(ctx context.Context) author.Actor {
	a := actorOf(ctx)
	op := a.Op // never that of Options: an op identifies one operation
	a = filled(a, m.opts.Actor)
	a.Author, a.Op = cmp.Or(a.Author, owner), op
	return a
}

// isAgent reports whether the actor of an operation is an agent.
func (m *Memory) isAgent(ctx context.Context) bool {
	return m.actor(ctx).Author.Kind == author.Agent
}

// entry returns the commit of an operation, still without changes. Without an op in the
// context it generates one.
func (m *Memory) entry(ctx context.Context, kind, message string, now int64) graph.Commit {
	a := m.actor(ctx)
	if a.Op == "" {
		a.Op = operation()
	}
	c := graph.Commit{
		Kind: kind, Author: a.Author, Session: a.Session,
		Op: opOf(a), Time: now, Message: message,
	}
	chain.Legible(&c)
	return c
}

// takeLock makes this process the owner of a state folder, retrying for Options.Wait. The
// error names the current owner.
func (m *Memory) takeLock(ctx context.Context, in vfs.FS) (*vfs.FileLock, error) {
	holder := vfs.Holder{PID: os.Getpid(), Command: m.opts.Command, Since: m.opts.Now()}
	if m.opts.Wait <= 0 {
		return disk.TryLock(in, holder)
	}
	ctx, stop := context.WithTimeout(ctx, m.opts.Wait)
	defer stop()
	lock, err := disk.Lock(ctx, in, holder)
	if held, ok := errors.AsType[*vfs.HeldError](err); ok {
		err = held
	}
	return lock, err
}
