// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
)

// WithGrant makes operations under the context those of the grant's holder: whose name
// the commits bear, and whether a token says so. What the holder may do a Guarded service
// sees to; without one an agent changes no file.
func WithGrant(ctx context.Context, g Grant) context.Context {
	return fovea.WithActor(with(ctx, g), g.actor())
}

// As returns a Service whose operations are those of the grant's holder, see WithGrant.
func As(svc Service, g Grant) Service {
	return Around(svc, func(ctx context.Context, op *Operation, req any) (any, error) {
		return op.Pass(WithGrant(ctx, g), svc, req)
	})
}

// actor is the holder of the grant as the memory knows it. An agent has no rights by that,
// but where it is the owner who writes in its name.
func (g *Grant) actor() author.Actor {
	a := author.Actor{Author: g.author(), Vouched: g.Vouched}
	if g.Role == Owner && g.Agent != "" {
		a.May, a.Renames = func(string) error { return nil }, true
	}
	return a
}

// author is whose name the commits of the grant's holder bear. Who has another role
// than that of the owner is an agent, also without a name.
func (g *Grant) author() author.Author {
	if g.Role == Owner && g.Agent == "" {
		return author.Author{Kind: author.Owner}
	}
	return author.Named(g.Agent)
}

// GrantOf returns what WithGrant has set; without it a Grant that allows nothing.
func GrantOf(ctx context.Context) Grant {
	return of[Grant](ctx)
}

// Guarded returns a Service that lets pass what the grant of each context allows,
// see Trusted.
func Guarded(svc Service) Service {
	return Through(func(ctx context.Context, op *Operation, req any) (any, error) {
		return op.Pass(ctx, Trusted(svc, GrantOf(ctx)), req)
	})
}
