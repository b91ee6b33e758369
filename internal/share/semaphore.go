// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package share

import "context"

// Semaphore bounds what is done at a time by its capacity; nil is no bound. It is safe for
// concurrent use.
type Semaphore chan struct{}

// Acquire waits for a place, in the order of the calls, and returns what releases it. It
// fails with the error of ctx alone.
func (s Semaphore) Acquire(ctx context.Context) (release func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
