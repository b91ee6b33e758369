// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"

	"github.com/fovea-memory/fovea/internal/graph"
)

// actor is who performs an operation, and the key it may come again under.
type actor struct{ author, session, op string }

type actorKey struct{}

// WithActor returns a context whose operations are recorded as author's, in a
// session, and are done once: what is written under an op that the history has
// is not done again but answered as the first time. What is "" stays as the
// context has it already, or as Options say; without an op each operation is its
// own. One op is for one operation: give each a name of its own, such as a
// random UUID, of at most 200 bytes.
//
// The ops of at least the newest 10,000 operations are known, after a restart
// too. An operation that failed, or had nothing to change, left no trace and is
// done when it comes again. An op that another author has used, or an operation
// of another kind, is a Conflict; that the request is the same otherwise is the
// caller's to see to. What is read from files has neither author nor op of a
// context: it is by "file".
func WithActor(ctx context.Context, author, session, op string) context.Context {
	was := actorOf(ctx)
	return context.WithValue(ctx, actorKey{}, actor{
		author: cmp.Or(author, was.author), session: cmp.Or(session, was.session), op: cmp.Or(op, was.op),
	})
}

func actorOf(ctx context.Context) actor {
	a, _ := ctx.Value(actorKey{}).(actor)
	return a
}

// entry begins the commit of an operation: who, when and why. Where the context
// names no op it gets one of its own.
func (m *Memory) entry(ctx context.Context, kind, message string, now int64) graph.Commit {
	a := actorOf(ctx)
	if a.op == "" {
		a.op = operation()
	}
	c := graph.Commit{
		Kind: kind, Author: cmp.Or(a.author, m.opts.Author), Session: cmp.Or(a.session, m.opts.Session),
		Op: a.op, Time: now, Message: message,
	}
	legible(&c)
	return c
}
