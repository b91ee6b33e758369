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

// newIdle returns one that calls stop after that time without a client; 0 never does.
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

// kept runs a background task as long as the daemon. It logs a panic and restarts the task
// after a pause, so that the panic does not end the daemon.
func (d *daemon) kept(ctx context.Context, what string, run func()) {
	for d.panics(what, run) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pulse):
		}
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

// scavenger decides when to return memory freed by requests to the system. The garbage
// collector runs only when the heap has grown by as much as is in use, so that an idle
// daemon would keep that memory. It is for one goroutine.
type scavenger struct {
	seen     uint64 // bytes allocated until the previous tick
	returned uint64 // bytes allocated when memory was last returned
}

const (
	maxIdleBytes = 8 << 20  // allocated between two ticks, at most, for a daemon to count as idle
	minBytes     = 32 << 20 // allocated since memory was last returned, at least, to justify a full collection
)

// due takes the bytes allocated so far, once per tick, and reports whether to return memory
// now.
func (s *scavenger) due(allocated uint64) bool {
	idle := allocated-s.seen <= maxIdleBytes
	s.seen = allocated
	if !idle || allocated-s.returned < minBytes {
		return false
	}
	s.returned = allocated
	return true
}

// tick returns memory if due. It costs reading a counter, or a garbage collection while
// requests are served.
func (s *scavenger) tick() {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindUint64 && s.due(sample[0].Value.Uint64()) {
		debug.FreeOSMemory()
	}
}
