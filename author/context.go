// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"context"
)

// Contexts carry three values through Fovea: the actor, the grant of the caller, and the
// scopes of the request. Everything else is an argument.
type key[T any] struct{}

// of returns the value of a type that a context carries, or the zero value.
func of[T any](ctx context.Context) T {
	v, _ := ctx.Value(key[T]{}).(T)
	return v
}

// WithActor returns a context whose operations have an actor. What it lacks is inherited
// from the context, see [Actor.Or], or else from fovea.Options. Changes read from files have
// the author kind File and ignore the author of the context.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, key[Actor]{}, a.Or(ActorOf(ctx)))
}

// ActorOf returns the actor that WithActor has set, or the zero Actor.
func ActorOf(ctx context.Context) Actor { return of[Actor](ctx) }

// AgentOf returns the name of the agent that the operations of a context are for, "" for
// anybody else.
func AgentOf(ctx context.Context) string {
	if by := ActorOf(ctx).Author; by.Kind == Agent {
		return by.Name
	}
	return ""
}

// Or returns the actor with missing fields filled from another one: an empty Session, Claim
// or AcceptedBy, and the other fields together if neither Author nor May is set.
func (a Actor) Or(other Actor) Actor {
	session, claim, accepted := cmp.Or(a.Session, other.Session), cmp.Or(a.Claim, other.Claim), cmp.Or(a.AcceptedBy, other.AcceptedBy)
	if a.Author.IsZero() && a.May == nil {
		a = other
	}
	a.Session, a.Claim, a.AcceptedBy = session, claim, accepted
	return a
}

// WithGrant attributes calls under the context to the grant's holder: commits have its
// name, and whether a token vouches for it. What the holder may do is checked by ops.Guarded;
// without that check an agent changes no file.
func WithGrant(ctx context.Context, g Grant) context.Context {
	return WithActor(context.WithValue(ctx, key[Grant]{}, g), g.Actor())
}

// GrantOf returns the grant that WithGrant has set, and without one a Grant that allows
// nothing.
func GrantOf(ctx context.Context) Grant { return of[Grant](ctx) }

// WithScopes makes calls under the context see these scopes; a field that is "" stays as
// api.LocalOptions state.
func WithScopes(ctx context.Context, s Scopes) context.Context {
	return context.WithValue(ctx, key[Scopes]{}, s)
}

// ScopesOf returns the scopes that WithScopes has set.
func ScopesOf(ctx context.Context) Scopes { return of[Scopes](ctx) }
