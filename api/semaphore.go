// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea/internal/fault"
)

// semaphore bounds the searches and windows that are made at a time; nil is no bound.
type semaphore chan struct{}

// acquire waits for a place, in the order of the calls, and returns what releases it. It
// fails with the error of ctx alone.
func (s semaphore) acquire(ctx context.Context, op string) (release func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, fault.Wrap(op, "", fault.Other, ctx.Err())
	}
}
