// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"cmp"
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
)

// Enter rejects an action under a claim that is not in force, see scope.Fence.
func (h *Hive) Enter(ctx context.Context, a scope.Action) error {
	by := h.scope.Actor(ctx)
	c := by.Claim
	if c == (author.Claim{}) {
		return nil
	}
	now := h.clock.now(h.scope, true)
	n := find(ctx, h.scope, h.scope.Present(), c.Task)
	if n == nil || !isTask(n) {
		return fault.Wrap(a.Name, c.Task, fault.NotFound, ErrNoTask)
	}
	return fault.Wrap(a.Name, c.Task, fault.Conflict, inForce(n, nameOf(by.Author), c.Number, now))
}

// Change rejects an agent's changes at or below a task that another agent holds, see
// scope.Fence. A node whose own text stays the same counts as unchanged.
func (h *Hive) Change(ctx context.Context, a scope.Action, before *graph.State, delta *graph.Delta) error {
	if h.scope.Actor(ctx).Author.Kind != author.Agent {
		return nil
	}
	now, me := h.clock.now(h.scope, true), nameOf(h.scope.Actor(ctx).Author)
	for _, c := range delta.Changes {
		if c.Old != nil && c.New != nil && c.Old.Own == c.New.Own && c.Old.Parent == c.New.Parent {
			continue
		}
		for _, n := range []string{c.ID, cmp.Or(c.New, &node.Node{}).Parent} {
			at, ok := before.Get(n)
			if !ok {
				continue
			}
			if task, held := holder(before, at, now); task != nil && held.By != me {
				return fault.Wrap(a.Name, task.ID, fault.Conflict, heldError(held, me))
			}
		}
	}
	return nil
}
