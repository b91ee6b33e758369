// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea/internal/graph"
)

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

// kindOf is the kind of the commit that an operation makes, where what it did may keep
// it from being asked for once more: the node that it was about is called otherwise
// since, or is gone; somebody else has committed, so that an agent may not take back
// what it did. "" is any other.
func kindOf(req any) string {
	switch req.(type) {
	case EditRequest, MoveRequest, ResolveRequest:
		return graph.KindEdit
	case RollbackRequest:
		return graph.KindRollback
	case RevertRequest:
		return graph.KindRevert
	}
	return ""
}

// again finds the operations that kindOf names.
func (h here) again(ctx context.Context, op *Operation, req any) (any, bool, error) {
	kind := kindOf(req)
	if kind == "" {
		return nil, false, nil
	}
	over := h.local.scopes(ctx).names()
	for _, scope := range append([]string{""}, over...) {
		on, err := h.local.in(ctx, scope)
		if err != nil {
			return nil, false, err
		}
		id, done, err := on.m.Done(ctx, kind)
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
