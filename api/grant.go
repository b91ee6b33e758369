// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
)

// WithGrant makes operations of a Guarded service under the context those of the
// grant's holder: what it may do, whose name the commits bear, and whether a token
// says so.
func WithGrant(ctx context.Context, g Grant) context.Context {
	ctx = fovea.WithVouched(fovea.WithActor(ctx, g.Agent, "", ""), g.Vouched)
	return with(ctx, g)
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
