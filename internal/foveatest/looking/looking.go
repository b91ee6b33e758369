// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package looking

import (
	"context"

	"github.com/fovea-memory/fovea/api"
)

// First returns a service that shows a note and everything below it before each edit and each move.
func First(next api.Service) api.Service {
	var see func(ctx context.Context, id string)
	see = func(ctx context.Context, id string) {
		if n, err := api.OpShow.Call(ctx, next, api.ShowRequest{ID: id}); err == nil {
			for _, kid := range n.Children {
				see(ctx, kid)
			}
		}
	}
	return func(ctx context.Context, c api.Call) (any, error) {
		switch r := c.Request.(type) {
		case api.EditRequest:
			see(ctx, r.ID)
		case api.MoveRequest:
			see(ctx, r.ID)
		}
		return next(ctx, c)
	}
}
