// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
)

// actorKey is a key of contexts.
type actorKey struct{}

// WithActor returns a context whose operations are those of an actor. Session and Op, where
// they are empty, stay as the context has them already, or as Options say. So does all the
// rest, as one, where neither Author nor May is set. One op is for one operation: give each
// a name of its own, such as a random UUID, of at most 200 bytes.
//
// The ops of at least the newest 10,000 operations are known, after a restart
// too. An operation that failed, or had nothing to change, left no trace and is
// done when it comes again. An op that another author has used, or an operation
// of another kind, is a Conflict; that the request is the same otherwise is the
// caller's to see to. What is read from files has neither author nor op of a
// context: it is by the kind author.File.
func WithActor(ctx context.Context, a author.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, filled(a, actorOf(ctx)))
}

// filled fills what an actor leaves open.
func filled(a, was author.Actor) author.Actor {
	if a.Author.IsZero() && a.May == nil {
		a.Author, a.Vouched, a.May, a.Renames = was.Author, was.Vouched, was.May, was.Renames
	}
	a.Session, a.Op = cmp.Or(a.Session, was.Session), cmp.Or(a.Op, was.Op)
	return a
}

// Beginnings of an op. One that a caller chose has neither, so that nobody makes a
// commit look like a token's.
const (
	opToken    = chain.VouchedOp // a token proves the author
	opAsserted = "asserted:"     // before an op that has such a beginning by itself
)

// opOf is the op of an actor as commits keep it.
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

// actor is who performs an operation: whom the context names, else whom Options name.
func (m *Memory) actor(ctx context.Context) author.Actor {
	a := actorOf(ctx)
	op := a.Op // that of Options would be for one operation
	a = filled(a, m.opts.Actor)
	a.Author, a.Op = cmp.Or(a.Author, owner), op
	return a
}

// isAgent reports whether an agent performs an operation.
func (m *Memory) isAgent(ctx context.Context) bool {
	return m.actor(ctx).Author.Kind == author.Agent
}

// entry begins the commit of an operation: who, when and why. Where the context
// names no op it gets one of its own.
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
