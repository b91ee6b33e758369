// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import "context"

// recalling is a Service that knows what it did under the op of a context.
type recalling interface {
	// again answers a request that was carried out already; done is false for one
	// that was not. It changes nothing.
	again(ctx context.Context, op *Operation, req any) (answer any, done bool, err error)
}

// here is the service of a memory in this process.
type here struct {
	Service
	local *local
}

// again finds the operations about one node, which may be called otherwise since, or
// be gone.
func (h here) again(ctx context.Context, op *Operation, req any) (any, bool, error) {
	switch req.(type) {
	case EditRequest, MoveRequest, ResolveRequest:
	default:
		return nil, false, nil
	}
	over := h.local.scopes(ctx).names()
	for _, scope := range append([]string{""}, over...) {
		on, err := h.local.in(ctx, scope)
		if err != nil {
			return nil, false, err
		}
		id, done, err := on.m.Done(ctx)
		if err != nil {
			return nil, false, err
		}
		if done {
			on.known, on.over = id, over
			answer, err := op.Pass(ctx, on, req)
			return answer, true, err
		}
	}
	return nil, false, nil
}
