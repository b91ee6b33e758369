// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"runtime/debug"
	"time"
)

// kept runs a background task as long as the daemon. It logs a panic and restarts the task
// after a pause, so that the panic does not end the daemon.
func (d *daemon) kept(ctx context.Context, what string, run func()) {
	for {
		if !d.panics(what, run) {
			return
		}
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
