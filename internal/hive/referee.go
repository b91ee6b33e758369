// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/place"
)

// Under returns the hive with a referee that keeps claims from other machines; those that it cannot keep are provisional.
func (h *Hive) Under(by place.Referee) *Hive {
	under := *h
	under.referee = by
	return &under
}

// ask asks the referee for a claim, or for a new lease of the one with a number, before that is written.
// It returns what the referee granted, which has no ticket if it did not, or why it refused.
func (h *Hive) ask(ctx context.Context, task string, number uint64, lease time.Duration) (granted Claim, refusal error) {
	n, ok := h.scope.Present().Get(task)
	if h.referee == nil || !ok {
		return granted, nil
	}
	now := h.clock.now(h.scope, true) // the lease counts from here
	held := claimOf(n, now)
	if held.Number != number || number != 0 && held.By != nameOf(h.scope.Actor(ctx).Author) {
		return granted, nil // the write says whose it is
	}
	want := place.Granted{Ticket: held.Ticket, Number: cmp.Or(number, nextNumber(n, now))}
	got, err := h.referee.Grant(ctx, h.scope.Name+"/"+task, lease, want)
	switch {
	case errors.Is(err, place.ErrChanged):
		return granted, fmt.Errorf("%w on another machine; sync shows by whom", ErrHeld)
	case err != nil:
		return Claim{Provisional: err.Error()}, nil
	}
	return Claim{Number: got.Number, Ticket: got.Ticket, Until: time.UnixMilli(now + lease.Milliseconds()).UTC()}, nil
}

// giveBack ends a claim at the referee, where else it ends with its lease.
func (h *Hive) giveBack(ctx context.Context, task string, ticket uint64) {
	if h.referee != nil && ticket != 0 {
		_ = h.referee.Release(context.WithoutCancel(ctx), h.scope.Name+"/"+task, ticket)
	}
}
