// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"fmt"

	"github.com/fovea-memory/fovea/internal/store"
)

// Append implements store.Store. Batches of goroutines that call it at the same time are
// written as one group, with one sync. With Options.Relaxed it returns before the sync.
func (s *Store) Append(ctx context.Context, b *store.Batch) (store.Pos, error) {
	if err := b.Err(); err != nil {
		return store.Pos{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Pos{}, fmt.Errorf("append batch: %w", err)
	}
	p := &pending{Batch: b}
	g, leads, err := s.join(p)
	if err != nil {
		return store.Pos{}, fmt.Errorf("append batch: %w", err)
	}
	if g == nil {
		return p.end, nil
	}
	var lead chan<- struct{} // nil, which is never ready, for who does not lead
	if leads {
		lead = s.lead
	}
	for {
		select {
		case <-g.done:
			return g.result(p)
		case lead <- struct{}{}:
			s.writeGroup()
		case <-ctx.Done():
			if s.withdraw(g, p, leads) {
				return store.Pos{}, fmt.Errorf("append batch: %w", ctx.Err())
			}
			<-g.done
			return g.result(p)
		}
	}
}
