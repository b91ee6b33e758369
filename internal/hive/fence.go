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

// Check refuses a write of the actor of ctx to a node, "" for none, that the claims forbid: the
// actor names a claim that is not in force, or the node is at or below a task that another
// agent holds. Surfaces call it to refuse early; the rules are checked again for each write.
// The owner may write anywhere. Errors: Conflict (ErrClaim, ErrHeld, ErrDone), NotFound.
func (h *Hive) Check(ctx context.Context, op, id string) error {
	now := h.clock.now(h.scope, false)
	if err := h.claimed(ctx, op, now); err != nil {
		return err
	}
	state := h.scope.Present()
	if n, ok := state.Get(id); ok && h.scope.Actor(ctx).Author.Kind == author.Agent {
		me := nameOf(h.scope.Actor(ctx).Author)
		if task, c := holder(state, n, now); task != nil && c.By != me {
			return fault.Wrap(op, task.ID, fault.Conflict, heldError(c, me))
		}
	}
	return nil
}

// claimed refuses an actor whose claim is not in force.
func (h *Hive) claimed(ctx context.Context, op string, now int64) error {
	c := h.scope.Actor(ctx).Claim
	if c == (author.Claim{}) {
		return nil
	}
	n := find(ctx, h.scope, h.scope.Present(), c.Task)
	if n == nil || !isTask(n) {
		return fault.Wrap(op, c.Task, fault.NotFound, ErrNoTask)
	}
	return fault.Wrap(op, c.Task, fault.Conflict, inForce(n, nameOf(h.scope.Actor(ctx).Author), c.Number, now))
}

// Enter refuses an action under a claim that is not in force, see scope.Fence.
func (h *Hive) Enter(ctx context.Context, a scope.Action) error {
	if h.scope.Actor(ctx).Claim == (author.Claim{}) {
		return nil
	}
	return h.claimed(ctx, a.Name, h.clock.now(h.scope, true))
}

// Change refuses changes of an agent at or below a task that another one holds, see
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
