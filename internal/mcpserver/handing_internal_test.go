// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
)

// TestMarkedOnce: an event that is written again, as to a client that comes back for it, while what it
// handed over is being marked, marks nothing again.
func TestMarkedOnce(t *testing.T) {
	s := New(func(context.Context, api.Call) (any, error) { return nil, errors.New("not here") }, nil)
	s.handing.report(maxMarking)
	result, marked := json.RawMessage(`{"_meta":{"`+metaHanded+`":["a"]}}`), 0
	s.handing.marks["a"] = func(bool) {
		marked++
		s.arrived(result, true)
	}
	s.arrived(result, true)
	if _, flies := s.handing.marks["a"]; marked != 1 || !flies {
		t.Errorf("marked %d times; flies while it is marked: %v", marked, flies)
	}
}

// TestWaitOnce: while an answer is not written, no other call hands the same over; one that is
// never written holds up no call for longer than a minute.
func TestWaitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handing{reports: true, lost: maxFlying, marks: map[string]func(bool){"a": func(bool) {}}, last: make(chan struct{}), began: time.Now()}
		start := time.Now()
		if err := h.wait(t.Context(), maxMarking); fault.KindOf(err) != fault.Busy || time.Since(start) != maxMarking || len(h.marks) != 1 {
			t.Errorf("%v after %s, %d to be marked", err, time.Since(start), len(h.marks))
		}
		<-time.After(maxFlying)
		for i, want := range []time.Duration{maxMarking, 0} {
			start := time.Now()
			if err := h.wait(t.Context(), maxMarking); err != nil || time.Since(start) != want {
				t.Errorf("call %d waited %s, not %s: %v", i, time.Since(start), want, err)
			}
		}
		if len(h.marks) > 0 {
			t.Error("what was not written is still to be marked")
		}
	})
}
