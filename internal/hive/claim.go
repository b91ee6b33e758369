// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
)

// Claim makes the actor of ctx the holder of a task for the duration of the lease, unless another
// claim is in force, even one of the same agent. Of opts, only Key is used: a repeated call returns
// the claim of the first call, in force or not. Errors: NotFound (ErrNoTask), Invalid (ErrLease,
// ErrCycle), Conflict (ErrHeld, ErrDone, ErrBlocked), Denied, and those of writing the file.
func (h *Hive) Claim(ctx context.Context, task string, lease time.Duration, opts *scope.WriteOptions) (Claim, chain.Commit, error) {
	return h.hold(ctx, "claim", task, 0, lease, opts, func(w *change, n *node.Node, me string, now int64) error {
		if held := claimOf(n, now); !held.IsZero() {
			return heldError(held, me)
		}
		return ready(ctx, h.scope, w.c.State(), n)
	})
}

// Renew restarts the lease of a claim. Errors: those of Claim, and Conflict (ErrClaim, ErrHeld).
func (h *Hive) Renew(ctx context.Context, task string, number uint64, lease time.Duration, opts *scope.WriteOptions) (Claim, chain.Commit, error) {
	return h.hold(ctx, "renew", task, number, lease, opts, func(_ *change, n *node.Node, me string, now int64) error {
		return inForce(n, me, number, now)
	})
}

// change applies the edits that decide returns to a task that is not done. Errors of decide are of kind Conflict.
func (h *Hive) change(ctx context.Context, op, task string, opts *scope.WriteOptions,
	decide func(w *change, n *node.Node, me string, now int64) ([]document.Edit, error)) (chain.Commit, *graph.Commit, error) {
	me, err := h.caller(ctx, op)
	if err != nil {
		return chain.Commit{}, nil, err
	}
	return h.run(ctx, scope.Action{Name: op, Key: opts.OrZero().Key}, func(w *change) error {
		n, now, err := w.task(task)
		if err != nil {
			return err
		}
		edits, err := decide(w, n, me, now)
		switch {
		case errors.Is(err, ErrCycle):
			return w.c.Fail(task, fault.Invalid, err)
		case err != nil:
			return w.c.Fail(task, fault.Conflict, err)
		}
		return w.c.Edit(n, edits...)
	})
}

// hold writes a claim that the referee granted, or a provisional one, unless check rejects it. A non-zero number renews that claim.
func (h *Hive) hold(ctx context.Context, op, task string, number uint64, lease time.Duration, opts *scope.WriteOptions,
	check func(w *change, n *node.Node, me string, now int64) error) (held Claim, c chain.Commit, err error) {
	if lease < MinLease || lease > MaxLease {
		return held, c, fault.Errorf(op, task, fault.Invalid, "%w, not %v", ErrLease, lease)
	}
	granted, refusal := h.ask(ctx, task, number, lease)
	c, first, err := h.change(ctx, op, task, opts, func(w *change, n *node.Node, me string, now int64) ([]document.Edit, error) {
		if err := cmp.Or(check(w, n, me, now), refusal); err != nil {
			return nil, err
		}
		held = granted
		held.By = me
		switch {
		case !held.Granted:
			held.Number, held.Until = cmp.Or(number, nextNumber(n, now)), time.UnixMilli(now+lease.Milliseconds()).UTC()
		case held.Number != number && (number != 0 || held.Number < nextNumber(n, 0)):
			return nil, errOvertaken
		}
		return w.claiming(n, held), nil
	})
	if err == nil && first != nil {
		held, err = firstClaim(ctx, h.scope, op, task, first)
	}
	switch {
	case err != nil:
		held, c = Claim{}, chain.Commit{}
	case h.Referee != nil && !held.Granted:
		held.Provisional = cmp.Or(held.Provisional, granted.Provisional, "the servers did not grant it")
	}
	if n, ok := h.scope.Present().Get(task); !ok || granted.Number != atReferee(n) { // rejected here, or not written because the call is repeated
		h.giveBack(ctx, task, granted.Number)
	}
	return held, c, err
}

// ask asks the referee for a claim, or for a new lease of the claim with a number, before it is written.
// It returns the granted claim, or why the referee refused.
func (h *Hive) ask(ctx context.Context, task string, number uint64, lease time.Duration) (granted Claim, refusal error) {
	n, ok := h.scope.Present().Get(task)
	if h.Referee == nil || !ok || !isTask(n) || n.Derived.Done {
		return granted, nil
	}
	now := h.clock.now(h.scope, true) // the lease counts from here
	held := claimOf(n, now)
	if held.Number != number || number != 0 && held.By != nameOf(h.scope.Actor(ctx).Author) {
		return granted, nil // the write fails with its holder
	}
	lease = max(lease, held.Until.Sub(time.UnixMilli(now)))         // an unwritten renewal does not shorten the lease
	ahead := max(0, time.UnixMilli(now).Sub(h.scope.Options.Now())) // another process may count by the slower clock
	got, err := h.Referee.Grant(ctx, h.scope.Name+"/"+task, min(lease+ahead, MaxLease), cmp.Or(number, nextNumber(n, now)),
		number != 0 && number == atReferee(n))
	switch {
	case errors.Is(err, place.ErrChanged):
		return granted, fmt.Errorf("%w at the servers: on another machine, as sync shows, or until the lease of a claim ends "+
			"whose release did not arrive", ErrHeld)
	case err != nil:
		return Claim{Provisional: err.Error()}, nil
	}
	return Claim{Number: got, Granted: true, Until: time.UnixMilli(now + lease.Milliseconds()).UTC()}, nil
}

// giveBack ends a claim at the referee, where it would otherwise last until its lease ends.
func (h *Hive) giveBack(ctx context.Context, task string, number uint64) {
	if h.Referee != nil && number != 0 {
		_ = h.Referee.Release(context.WithoutCancel(ctx), h.scope.Name+"/"+task, number)
	}
}

// atReferee returns the number of the claim that the referee granted, perhaps not for its newest lease; 0 for none.
func atReferee(n *node.Node) uint64 {
	if n.Derived.Last(document.ClaimGranted) == "" {
		return 0
	}
	return document.ClaimNumber(n.Derived.Last(document.ClaimKey))
}

// nextNumber returns the smallest number of a new claim.
func nextNumber(n *node.Node, now int64) uint64 {
	return max(uint64(max(now, 1)), document.ClaimNumber(n.Derived.Last(document.ClaimKey))+1)
}

// task returns a task that is not done, after reading its file again, and the time of leases. It
// gives the commit that time, which is later than the newest commit, so that the number of a claim
// exceeds every earlier one, even one that neither history nor file shows.
func (w *change) task(id string) (*node.Node, int64, error) {
	n, ok := w.c.State().Get(id)
	if ok && isTask(n) {
		if _, err := w.read(n.Path); err != nil {
			return nil, 0, err
		}
		n, ok = w.c.State().Get(id)
	}
	if !ok || !isTask(n) {
		return nil, 0, w.c.Fail(id, fault.NotFound, ErrNoTask)
	}
	if n.Derived.Done {
		return nil, 0, w.c.Fail(id, fault.Conflict, ErrDone)
	}
	now := max(w.h.clock.now(w.h.scope, true), w.c.Head().Commit.Time.UnixMilli()+1)
	w.c.Action.Now = time.UnixMilli(now).In(w.c.Action.Now.Location())
	w.c.Action.Message = n.Path + ": " + w.c.Action.Name + " " + n.Derived.Title
	return n, now, nil
}

// claiming returns the edits that write a claim.
func (w *change) claiming(n *node.Node, c Claim) []document.Edit {
	edits := []document.Edit{
		document.SetProperty{Key: document.ClaimedBy, Value: c.By},
		document.SetProperty{Key: document.ClaimKey, Value: fmt.Sprint(c.Number)},
		document.SetProperty{Key: document.LeaseUntil, Value: c.Until.Format(stampForm)},
	}
	switch {
	case c.Granted:
		edits = append(edits, document.SetProperty{Key: document.ClaimGranted, Value: "t"})
	case atReferee(n) == c.Number: // the next renewal asks for it under this number
		edits = append(edits, document.SetProperty{Key: document.ClaimGranted, Value: "nil"})
	case n.Derived.Last(document.ClaimGranted) != "":
		edits = append(edits, document.RemoveProperty{Key: document.ClaimGranted})
	}
	words, _ := w.c.Document(n.Path).Keywords()
	i := slices.IndexFunc(inProgressWords, func(word string) bool { return slices.Contains(words, word) })
	if i >= 0 && n.Derived.Todo != "" && !slices.Contains(inProgressWords, n.Derived.Todo) {
		edits = append(edits, document.SetTodo{Keyword: inProgressWords[i]})
	}
	return edits
}

// Release ends a claim. For the owner, number 0 means any claim. Errors: NotFound, Conflict
// (ErrClaim, ErrDone), and those of writing the file.
func (h *Hive) Release(ctx context.Context, task string, number uint64, opts *scope.WriteOptions) (chain.Commit, error) {
	return h.end(ctx, "release", task, number, opts, func(w *change, n *node.Node) []document.Edit {
		if words, _ := w.c.Document(n.Path).Keywords(); slices.Contains(inProgressWords, n.Derived.Todo) && len(words) > 0 {
			return []document.Edit{document.SetTodo{Keyword: words[0]}}
		}
		return nil
	})
}

// Done marks a task under a claim as done. For the owner, number 0 means any claim, or none.
// Errors: those of Release.
func (h *Hive) Done(ctx context.Context, task string, number uint64, opts *scope.WriteOptions) (chain.Commit, error) {
	return h.end(ctx, "done", task, number, opts, func(w *change, n *node.Node) []document.Edit {
		_, words := w.c.Document(n.Path).Keywords()
		if i := slices.Index(words, "DONE"); i > 0 {
			words = words[i:]
		}
		if len(words) == 0 {
			words = []string{"DONE"} // the error of the edit explains how to declare it
		}
		return []document.Edit{document.SetTodo{Keyword: words[0]}}
	})
}

// end removes a claim; its number stays, so that the next one is greater.
func (h *Hive) end(ctx context.Context, op, task string, number uint64, opts *scope.WriteOptions,
	also func(w *change, n *node.Node) []document.Edit) (chain.Commit, error) {
	var granted uint64
	c, _, err := h.change(ctx, op, task, opts, func(w *change, n *node.Node, me string, now int64) ([]document.Edit, error) {
		if number != 0 || h.scope.Actor(ctx).Author.Kind != author.Owner {
			if err := inForce(n, me, number, now); err != nil {
				return nil, err
			}
		}
		granted = atReferee(n)
		edits := also(w, n)
		for _, key := range []string{document.ClaimedBy, document.LeaseUntil, document.ClaimGranted} {
			if n.Derived.Last(key) != "" {
				edits = append(edits, document.RemoveProperty{Key: key})
			}
		}
		return edits, nil
	})
	if err == nil {
		h.giveBack(ctx, task, granted)
	}
	return c, err
}

// inForce returns an error if an agent's claim with a number is not in force.
func inForce(n *node.Node, by string, number uint64, now int64) error {
	held := claimOf(n, now)
	switch was := writtenClaim(n.Derived); {
	case n.Derived.Done:
		return ErrDone
	case held.By == by && held.Number == number:
		return nil
	case !held.IsZero():
		return fmt.Errorf("%w: %w", ErrClaim, heldError(held, by))
	case was.By == by && was.Number == number:
		return fmt.Errorf("%w: its lease has ended; claim the task again", ErrClaim)
	}
	return fmt.Errorf("%w: nobody holds the task; claim it", ErrClaim)
}

// heldError returns the error that names the holder of a task to an agent.
func heldError(c Claim, to string) error {
	if c.By == to {
		return fmt.Errorf("%w by %s, as you are called: under number %d until %s; go on under it only if the claim is yours",
			ErrHeld, c.By, c.Number, c.Until.Format(stampForm))
	}
	return fmt.Errorf("%w by another: %s, under number %d until %s", ErrHeld, c.By, c.Number, c.Until.Format(stampForm))
}

// firstClaim returns the claim that an earlier commit wrote.
func firstClaim(ctx context.Context, s *scope.Scope, op, task string, first *graph.Commit) (Claim, error) {
	for i := range first.Delta {
		r := &first.Delta[i]
		if r.ID != task || r.New == nil {
			continue
		}
		n, err := s.Chain.Version(ctx, r.New.Own)
		if err != nil {
			return Claim{}, fault.Wrap(op, task, fault.NotFound, err)
		}
		for _, p := range s.Options.Formats.Of(r.New.Path).Outline(r.New.Path, []document.Part{document.File(n.Content, false)}, nil).Parts {
			if p.Type == document.TypeHeadline {
				return writtenClaim(p.Derived), nil
			}
		}
	}
	return Claim{}, fault.Errorf(op, task, fault.Conflict, "the op was used for another task; use a new one")
}

// clock is the time that leases are compared with, in Unix milliseconds. It never goes back: it
// is at least the computer's clock and the time of the newest commit. While the memory is open it
// advances even if the computer's clock was set back, so that every lease ends.
type clock struct {
	mu   sync.Mutex
	last time.Time // the last reading of the computer's clock
	at   int64     // the time of leases then
}

// now returns the time of leases, and with note records it. Only writers record it, so that no
// reader affects the time of a commit.
func (c *clock) now(s *scope.Scope, note bool) int64 {
	wall, head := s.Options.Now(), s.Chain.Head().Commit.Time.UnixMilli()
	c.mu.Lock()
	defer c.mu.Unlock()
	at := max(wall.UnixMilli(), head)
	if !c.last.IsZero() {
		at = max(at, c.at+max(0, wall.Sub(c.last).Milliseconds()))
	}
	if note {
		c.last, c.at = wall, at
	}
	return at
}

// rateWindow is the period in which a sender may send MaxRate messages.
const rateWindow = time.Minute

// rate limits the messages of each sender.
type rate struct {
	mu   sync.Mutex
	sent map[string][]int64 // by sender, oldest first
}

// take counts a message at a time, and reports whether its sender may still send it.
func (r *rate) take(sender string, now int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, times := range r.sent {
		times = slices.DeleteFunc(times, func(at int64) bool { return at <= now-rateWindow.Milliseconds() })
		if r.sent[name] = times; len(times) == 0 {
			delete(r.sent, name)
		}
	}
	if len(r.sent[sender]) >= MaxRate {
		return false
	}
	r.sent[sender] = append(r.sent[sender], now)
	return true
}
