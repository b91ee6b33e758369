// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// MaxLease is the longest lease of a claim.
const MaxLease = 24 * time.Hour

// Referee is a place that keeps a claim from all other machines until its lease ends. The caller counts
// the lease from before it asks. After an error that is neither ErrHeld nor ErrYoung, it is unknown what
// the place keeps, for at most the lease.
type Referee interface {
	// Claim claims a task. Its number is at least the one given, and greater than those of all claims of
	// the task that the place has granted; the ticket is what renews and releases the claim. Errors:
	// ErrHeld, ErrYoung.
	Claim(ctx context.Context, task string, lease time.Duration, least uint64) (ticket, number uint64, err error)
	// Renew begins the lease anew, and returns the next ticket. Errors: ErrHeld if the claim is over.
	Renew(ctx context.Context, task string, ticket uint64, lease time.Duration) (uint64, error)
	// Release ends a claim. One that is over is no error.
	Release(ctx context.Context, task string, ticket uint64) error
}

// Errors of referees.
var (
	// ErrHeld is returned for a task that another claim holds.
	ErrHeld = errors.New("a claim of another machine holds it at the remote; sync shows whose")
	// ErrYoung is returned by a referee that may not know all claims in force.
	ErrYoung = errors.New("the servers keep claims anew, and those granted before may be in force")
)

// Seat has the referee of a memory while the process is connected to one; a nil Seat has none. It is safe
// for concurrent use.
type Seat struct{ taken atomic.Pointer[Referee] }

// Take seats a referee until leave is called. While another one sits, it does nothing.
func (s *Seat) Take(r Referee) (leave func()) {
	s.taken.CompareAndSwap(nil, &r)
	return func() { s.taken.CompareAndSwap(&r, nil) }
}

// Referee returns the one that sits, nil for none.
func (s *Seat) Referee() Referee {
	if s == nil {
		return nil
	}
	if r := s.taken.Load(); r != nil {
		return *r
	}
	return nil
}
