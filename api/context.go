// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
)

// Contexts carry two things through this package: the grant of the caller and the scopes
// of the request. Everything else is a field of [Call].

type (
	grantKey  struct{}
	scopesKey struct{}
)

// WithGrant makes calls under the context those of the grant's holder: whose name the
// commits bear, and whether a token vouches for it. What the holder may do is checked by
// [Guarded]; without that check an agent changes no file.
func WithGrant(ctx context.Context, g Grant) context.Context {
	return fovea.WithActor(context.WithValue(ctx, grantKey{}, g), g.actor())
}

// GrantOf returns the grant that WithGrant has set, and without one a Grant that allows
// nothing.
func GrantOf(ctx context.Context) Grant {
	g, _ := ctx.Value(grantKey{}).(Grant)
	return g
}

// WithScopes makes calls under the context see these scopes; what is "" stays as
// LocalOptions say.
func WithScopes(ctx context.Context, s Scopes) context.Context {
	return context.WithValue(ctx, scopesKey{}, s)
}

// ScopesOf returns what WithScopes has set.
func ScopesOf(ctx context.Context) Scopes {
	s, _ := ctx.Value(scopesKey{}).(Scopes)
	return s
}
