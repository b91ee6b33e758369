// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
)

// WithGrant makes operations of a Guarded service under the context those of the
// grant's holder: what it may do, whose name the commits bear, and whether a token
// says so.
func WithGrant(ctx context.Context, g Grant) context.Context {
	ctx = fovea.WithVouched(fovea.WithActor(ctx, g.author(), "", ""), g.Vouched)
	return with(ctx, g)
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
