// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
)

// Refereed makes and ends claims that a referee keeps from other machines. Where it cannot, a claim is
// provisional.
type Refereed struct {
	h  *Hive
	by place.Referee
}

// Under returns the claims of a hive under a referee, nil for none.
func (h *Hive) Under(by place.Referee) Refereed { return Refereed{h, by} }

// ruling is what a referee answered.
type ruling struct {
	from    int64  // the time of leases before it was asked, 0 if it was not
	ticket  uint64 // under which it keeps the claim, 0 for not at all
	number  uint64 // that it gave a new claim
	refusal error
}

var (
	errNoReferee = errors.New("no referee is connected")
	errOvertaken = errors.New("the task was claimed meanwhile; claim it again")
)

// take reads the answer of a referee, and returns why the claim is provisional.
func (r *ruling) take(err error) (why error) {
	if errors.Is(err, place.ErrHeld) {
		r.refusal, err = fmt.Errorf("%w: %w", ErrHeld, err), nil
	}
	return err
}

// Claim is Hive.Claim of a claim that the referee grants first. It also returns why the claim is
// provisional, "" if it is not.
func (r Refereed) Claim(ctx context.Context, task string, lease time.Duration, opts *scope.WriteOptions) (held Claim, c chain.Commit, why string, err error) {
	var rule ruling
	var doubt error
	was, now := r.written(task)
	if err := checkLease("claim", task, lease); err != nil {
		return held, c, "", err
	}
	if r.by != nil && (was.By == "" || was.Until.UnixMilli() <= now) { // else this machine knows whose it is
		rule.from = now
		rule.ticket, rule.number, err = r.by.Claim(ctx, r.name(task), lease, max(uint64(max(now, 1)), was.Number+1))
		doubt = rule.take(err)
	}
	held, c, err = r.h.claim(ctx, task, lease, opts, rule)
	if rule.ticket != 0 && held.Ticket != rule.ticket { // refused here, or a repeated call
		r.release(ctx, task, rule.ticket)
	}
	return held, c, provisional(held, doubt), err
}

// Renew is Hive.Renew of a claim that the referee renews first. It also returns why the claim is
// provisional now, "" if it is not.
func (r Refereed) Renew(ctx context.Context, task string, number uint64, lease time.Duration, opts *scope.WriteOptions,
) (held Claim, c chain.Commit, why string, err error) {
	var rule ruling
	var doubt error
	was, now := r.written(task)
	me, err := r.h.caller(ctx, "renew")
	if err = cmp.Or(err, checkLease("renew", task, lease)); err != nil {
		return held, c, "", err
	}
	if r.by != nil && was.Ticket != 0 && was.By == me && was.Number == number && was.Until.UnixMilli() > now {
		rule.from = now
		rule.ticket, err = r.by.Renew(ctx, r.name(task), was.Ticket, lease)
		doubt = rule.take(err)
	}
	held, c, err = r.h.renew(ctx, task, number, lease, opts, rule)
	return held, c, provisional(held, doubt), err
}

// Release is Hive.Release, also at the referee.
func (r Refereed) Release(ctx context.Context, task string, number uint64, opts *scope.WriteOptions) (chain.Commit, error) {
	return r.end(ctx, task, number, opts, r.h.Release)
}

// Done is Hive.Done, also at the referee.
func (r Refereed) Done(ctx context.Context, task string, number uint64, opts *scope.WriteOptions) (chain.Commit, error) {
	return r.end(ctx, task, number, opts, r.h.Done)
}

func (r Refereed) end(ctx context.Context, task string, number uint64, opts *scope.WriteOptions,
	end func(context.Context, string, uint64, *scope.WriteOptions) (chain.Commit, error)) (chain.Commit, error) {
	was, _ := r.written(task)
	c, err := end(ctx, task, number, opts)
	if err == nil && r.by != nil && was.Ticket != 0 {
		r.release(ctx, task, was.Ticket)
	}
	return c, err
}

// release ends a claim at the referee, where else it ends with its lease.
func (r Refereed) release(ctx context.Context, task string, ticket uint64) {
	_ = r.by.Release(context.WithoutCancel(ctx), r.name(task), ticket)
}

// name is what the referee calls a task.
func (r Refereed) name(task string) string { return r.h.scope.Name + "/" + task }

// written returns the claim that is written in a task, and the time of leases, from which on the lease of
// a claim is counted that is asked for now.
func (r Refereed) written(task string) (was Claim, now int64) {
	if n, ok := r.h.scope.Present().Get(task); ok {
		was = writtenClaim(n.Derived)
		was.Number = writtenNumber(n.Derived)
	}
	return was, r.h.clock.now(r.h.scope, true)
}

// numbered returns the number of a new claim, which the referee gave if it grants it.
func (r *ruling) numbered(n *node.Node, least uint64) (uint64, error) {
	switch last := writtenNumber(n.Derived); {
	case r.refusal != nil || r.ticket == 0:
		return max(least, last+1), r.refusal
	case r.number <= last:
		return 0, errOvertaken
	}
	return r.number, nil
}

// provisional says why a claim is.
func provisional(c Claim, doubt error) string {
	if c.IsZero() || c.Ticket != 0 {
		return ""
	}
	return cmp.Or(doubt, errNoReferee).Error()
}

func checkLease(op, task string, lease time.Duration) error {
	if lease < MinLease || lease > MaxLease {
		return fault.Errorf(op, task, fault.Invalid, "%w, not %v", ErrLease, lease)
	}
	return nil
}
