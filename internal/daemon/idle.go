// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// idle stops a daemon that has had no client for a while.
type idle struct {
	after time.Duration // 0 is never
	stop  func()

	mu    sync.Mutex
	open  int // open connections
	timer *time.Timer
}

func newIdle(after time.Duration, stop func()) *idle {
	i := &idle{after: after, stop: stop}
	if after > 0 {
		i.timer = time.AfterFunc(after, i.over)
	}
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
	if i.timer != nil && i.open == 0 {
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
