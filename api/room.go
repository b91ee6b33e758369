// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
)

// room holds one for each search or window that is being made; nil has room for any
// number.
type room chan struct{}

// enter returns when there is room for an operation, in the order of the calls; the
// caller leaves. It fails with the error of ctx alone.
func (r room) enter(ctx context.Context, op string) (leave func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	select {
	case r <- struct{}{}:
		return func() { <-r }, nil
	case <-ctx.Done():
		return nil, &fovea.Error{Op: op, Err: ctx.Err()}
	}
}
