// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"sync"
	"time"
)

// turns gives queries priority over documents: at most one request for documents runs at a
// time, and none starts while a query runs. Queries never wait here.
type turns struct {
	documents chan struct{} // has one value while a request for documents runs
	mu        sync.Mutex
	queries   int
	idle      chan struct{} // closed when queries is 0
}

func newTurns() *turns {
	t := &turns{documents: make(chan struct{}, 1), idle: make(chan struct{})}
	close(t.idle)
	return t
}

// take waits for a turn; the caller calls done once. The only error is that of ctx.
func (t *turns) take(ctx context.Context, p Purpose) (done func(), err error) {
	if p == Query {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.queries++; t.queries == 1 {
			t.idle = make(chan struct{})
		}
		return t.endQuery, nil
	}
	select {
	case t.documents <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.mu.Lock()
	idle := t.idle
	t.mu.Unlock()
	select {
	case <-idle:
		return func() { <-t.documents }, nil
	case <-ctx.Done():
		<-t.documents
		return nil, ctx.Err()
	}
}

func (t *turns) endQuery() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queries--; t.queries == 0 {
		close(t.idle)
	}
}

// maxBackOff is the longest delay after repeated failures of a server.
const maxBackOff = 5 * time.Minute

// breaker stops requests to a server that could not be used: for a second, then twice as
// long each time. After that it lets one request through.
type breaker struct {
	mu       sync.Mutex
	failures int // in a row
	until    time.Time
}

// allow reports whether a request may be sent now. After failures it allows one request, and
// the next only after the timeout.
func (b *breaker) allow(now time.Time, timeout time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures == 0 {
		return true
	}
	if now.Before(b.until) {
		return false
	}
	b.until = now.Add(timeout)
	return true
}

// broken reports whether the last request failed.
func (b *breaker) broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures > 0
}

// guard calls a server, unless it failed a short time ago, and records the result. The server may ask for a longer delay.
// Errors: ErrUnavailable, and that of call.
func (r *remote) guard(ctx context.Context, call func() error) error {
	b := &r.breaker
	if !b.allow(r.now(), r.timeout) {
		return &unavailable{cause: "the server failed a short time ago and is left alone"}
	}
	err := call()
	b.mu.Lock()
	defer b.mu.Unlock()
	if down, ok := errors.AsType[*unavailable](err); ok {
		b.failures++
		b.until = r.now().Add(min(maxBackOff, max(down.delay, time.Second<<min(b.failures-1, 20))))
	} else if ctx.Err() == nil {
		b.failures = 0
	}
	return err
}
