// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/share"
)

type (
	// Role is what a caller is to a memex.
	Role = author.Role
	// Grant names a caller and what that caller may do.
	Grant = author.Grant
	// Scopes are laid over the memex for a call.
	Scopes = author.Scopes
)

// The roles.
const (
	Owner  = author.RoleOwner
	Agent  = author.RoleAgent
	Reader = author.RoleReader
	Keeper = author.RoleKeeper
)

// BearerOf returns the bearer whose shares of a daemon a caller takes. The name of an agent counts where a
// token vouches for it; a program that comes with what is the owner's is the owner here,
// whatever it calls itself, so that invented names make no new bearers.
func BearerOf(g Grant) share.Bearer {
	if g.Vouched && g.Role != Owner {
		return share.Agent(g.Agent)
	}
	return share.Owner
}

// As returns a Service whose calls are those of the grant's holder, see author.WithGrant.
func As(svc Service, g Grant) Service {
	return func(ctx context.Context, c Call) (any, error) { return svc(author.WithGrant(ctx, g), c) }
}
