// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"context"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/place"
)

// OpenerOf is ClusterOpener of places with another longest lease.
func OpenerOf(maxLease time.Duration) func(ctx context.Context, address string, create bool) (place.Place, error) {
	var mu sync.Mutex
	open := ClusterOpener()
	return func(ctx context.Context, address string, create bool) (place.Place, error) {
		mu.Lock()
		defer mu.Unlock()
		p, err := open(ctx, address, create)
		if c, ok := p.(*cluster); ok && c.lease != maxLease {
			c.lease = maxLease
		}
		return p, err
	}
}
