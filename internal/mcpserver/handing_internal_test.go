// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestWaitOnce: an answer that is never written holds up the next call alone, and none after it.
func TestWaitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handing{reports: true, marks: map[string]func(){"a": func() {}}, last: make(chan struct{})}
		for i, want := range []time.Duration{maxMarking, 0} {
			start := time.Now()
			if h.wait(t.Context()); time.Since(start) != want {
				t.Errorf("call %d waited %s, not %s", i, time.Since(start), want)
			}
		}
		if len(h.marks) > 0 {
			t.Error("what was not written is still to be marked")
		}
	})
}
