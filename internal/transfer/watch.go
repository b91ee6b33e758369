// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"
	"sync"
	"time"
)

// MinRate is the rate that is usual, in bytes a second.
const MinRate = 1 << 10

// Watch ends an exchange that waits too long for the other machine. It is safe for concurrent use.
type Watch struct {
	limit time.Duration
	rate  int // bytes a second
	end   context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration // that it may wait
	since time.Time     // when the wait began; zero while the next step is up to this program
}

// NewWatch returns a watch that waits, and a context that it cancels with a cause after a wait of
// limit, less what bytes gave back at rate. The caller ends it with Stop.
func NewWatch(ctx context.Context, limit time.Duration, rate int, cause error) (context.Context, *Watch) {
	ctx, end := context.WithCancelCause(ctx)
	w := &Watch{limit: limit, rate: rate, end: end, left: limit, since: time.Now()}
	w.timer = time.AfterFunc(limit, func() { end(cause) })
	return ctx, w
}

// Wait says that some bytes came or went, and that the next step is up to the other machine.
func (w *Watch) Wait(bytes int) {
	w.step(time.Duration(bytes)*time.Second/time.Duration(w.rate), w.limit, true)
}

// Stop ends the watch and cancels its context.
func (w *Watch) Stop() {
	w.step(0, 0, false)
	w.end(nil)
}

// step ends a wait, gives time back up to a maximum, and may begin another wait.
func (w *Watch) step(back, maxLeft time.Duration, wait bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if !w.since.IsZero() {
		w.left -= now.Sub(w.since)
	}
	w.left = min(w.left+back, maxLeft)
	w.timer.Stop()
	if w.since = (time.Time{}); wait {
		w.since = now
		w.timer.Reset(w.left)
	}
}
