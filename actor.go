// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
)

// actor is who performs an operation, and the key it may come again under.
type actor struct {
	author      author.Author
	session, op string
	vouched     bool
}

type actorKey struct{}

// WithActor returns a context whose operations are recorded as by an author, in a
// session, and are done once: what is written under an op that the history has
// is not done again but answered as the first time. What is empty stays as the
// context has it already, or as Options say; without an op each operation is its
// own. One op is for one operation: give each a name of its own, such as a
// random UUID, of at most 200 bytes.
//
// The ops of at least the newest 10,000 operations are known, after a restart
// too. An operation that failed, or had nothing to change, left no trace and is
// done when it comes again. An op that another author has used, or an operation
// of another kind, is a Conflict; that the request is the same otherwise is the
// caller's to see to. What is read from files has neither author nor op of a
// context: it is by the kind author.File.
func WithActor(ctx context.Context, by author.Author, session, op string) context.Context {
	was := actorOf(ctx)
	return context.WithValue(ctx, actorKey{}, actor{
		author: cmp.Or(by, was.author), session: cmp.Or(session, was.session), op: cmp.Or(op, was.op), vouched: was.vouched,
	})
}

// WithVouched says whether the author of the context is who a token stands for, or
// who the caller says that it is. Commits record it, see Commit.Vouched.
func WithVouched(ctx context.Context, vouched bool) context.Context {
	a := actorOf(ctx)
	a.vouched = vouched
	return context.WithValue(ctx, actorKey{}, a)
}

// Beginnings of an op. One that a caller chose has neither, so that nobody makes a
// commit look like a token's.
const (
	opToken    = "token:"    // a token says who the author is
	opAsserted = "asserted:" // before an op that has such a beginning by itself
)

// key is the op as commits keep it.
func (a actor) key() string {
	switch {
	case a.vouched:
		return opToken + a.op
	case strings.HasPrefix(a.op, opToken), strings.HasPrefix(a.op, opAsserted):
		return opAsserted + a.op
	}
	return a.op
}

// vouched reports whether a token said who the author of a commit is.
func vouched(c *graph.Commit) bool { return strings.HasPrefix(c.Op, opToken) }

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
		Op: a.key(), Time: now, Message: message,
	}
	legible(&c)
	return c
}
