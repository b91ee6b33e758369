// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes

import (
	"context"
	"sync"

	"github.com/fovea-memory/fovea/api"
)

// turns has a channel for each memory, by its folder, with room for one.
var turns sync.Map

// turn waits until nothing else is carried between this memory and other places: both would use
// the same files in the state folder. done ends the turn.
func turn(ctx context.Context, a api.Access) (done func(), err error) {
	of, _ := turns.LoadOrStore(a.Memex.Dir(), make(chan struct{}, 1))
	free := of.(chan struct{})
	select {
	case free <- struct{}{}:
		return func() { <-free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
