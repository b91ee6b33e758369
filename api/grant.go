// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import "github.com/fovea-memory/fovea/internal/share"

// BearerOf returns the bearer whose shares of a daemon a caller takes. The name of an agent counts where a
// token vouches for it; a program that comes with what is the owner's is the owner here,
// whatever it calls itself, so that invented names make no new bearers.
func BearerOf(g Grant) share.Bearer {
	if g.Vouched && g.Role != Owner {
		return share.Agent(g.Agent)
	}
	return share.Owner
}
