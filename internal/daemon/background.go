// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// idle stops a daemon that has had no client for a while.
type idle struct {
	after time.Duration
	stop  func()

	mu    sync.Mutex
	open  int // open connections
	timer *time.Timer
}

// newIdle calls stop after some time without a client; 0 means never.
func newIdle(after time.Duration, stop func()) *idle {
	i := &idle{after: cmp.Or(after, math.MaxInt64), stop: stop}
	i.timer = time.AfterFunc(i.after, i.over)
	return i
}

// state counts connections; http.Server calls it.
func (i *idle) state(_ net.Conn, s http.ConnState) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch s {
	case http.StateNew:
		i.open++
	case http.StateClosed, http.StateHijacked:
		i.open--
	default:
		return
	}
	if i.open == 0 {
		i.timer.Reset(i.after)
	}
}

// over stops the daemon unless a connection is open.
func (i *idle) over() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open == 0 {
		i.stop()
	}
}

// kept runs a background task until it or ctx ends. It logs a panic and restarts the task after
// a delay, so that the panic does not end the daemon.
func (d *daemon) kept(ctx context.Context, what string, run func()) {
	for d.panics(what, run) && wait(ctx, pulse) {
	}
}

// wait waits for some time, and reports whether it passed before ctx ended.
func wait(ctx context.Context, interval time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(interval):
		return true
	}
}

// panics runs run and reports whether it panicked.
func (d *daemon) panics(what string, run func()) (did bool) {
	defer func() {
		if why := recover(); why != nil {
			did = true
			d.opts.Log.Error("panic", "in", what, "why", why, "stack", string(debug.Stack()))
		}
	}()
	run()
	return false
}

// scavenger decides when to return the memory of past requests to the system. The garbage
// collector runs only after the heap has doubled, so that an idle daemon would keep that memory.
// It is for one goroutine.
type scavenger struct {
	seen     uint64 // bytes allocated until the previous tick
	returned uint64 // bytes allocated when memory was last returned
}

const (
	maxIdleBytes = 8 << 20  // allocated between two ticks of an idle daemon, at most
	minBytes     = 32 << 20 // allocated since memory was last returned, at least, to justify a full collection
)

// due reports whether to return memory now. It is called once per tick with the bytes allocated so far.
func (s *scavenger) due(allocated uint64) bool {
	idle := allocated-s.seen <= maxIdleBytes
	s.seen = allocated
	if !idle || allocated-s.returned < minBytes {
		return false
	}
	s.returned = allocated
	return true
}

// tick returns memory if due. It reads a counter or runs a garbage collection, concurrently with
// requests.
func (s *scavenger) tick() {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindUint64 && s.due(sample[0].Value.Uint64()) {
		debug.FreeOSMemory()
	}
}
