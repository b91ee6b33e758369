// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"runtime/debug"
	"time"
)

// kept runs what goes on as long as the daemon. A panic there is logged, and what it
// ended begins again after a pause: it must not take the daemon along.
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

// panics reports whether run did.
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
