// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
)

// TestWaitOnce: while an answer is not written, no other call hands the same over; one that is
// never written holds up no call for longer than a minute.
func TestWaitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handing{reports: true, marks: map[string]func(bool){"a": func(bool) {}}, last: make(chan struct{}), began: time.Now()}
		start := time.Now()
		if err := h.wait(t.Context()); fault.KindOf(err) != fault.Busy || time.Since(start) != maxMarking || len(h.marks) != 1 {
			t.Errorf("%v after %s, %d to be marked", err, time.Since(start), len(h.marks))
		}
		<-time.After(maxFlying)
		for i, want := range []time.Duration{maxMarking, 0} {
			start := time.Now()
			if err := h.wait(t.Context()); err != nil || time.Since(start) != want {
				t.Errorf("call %d waited %s, not %s: %v", i, time.Since(start), want, err)
			}
		}
		if len(h.marks) > 0 {
			t.Error("what was not written is still to be marked")
		}
	})
}
