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
	one, err := s.handing.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	result, marked := json.RawMessage(`{"_meta":{"`+metaHanded+`":["a"]}}`), 0
	one.ids = "a"
	one.mark = func() {
		marked++
		s.arrived(result, true)
		if s.handing.current != one {
			t.Error("the next one begins while this one is being marked")
		}
	}
	s.arrived(result, true)
	if marked != 1 || s.handing.current != nil {
		t.Errorf("marked %d times; still on its way: %v", marked, s.handing.current)
	}
}

// TestWaitOnce: while a call goes on, however long, or its answer is not written, no other call hands
// the same over; an answer that is never written is forgotten after a minute.
func TestWaitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h handing
		h.report(maxFlying)
		first, err := h.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * maxFlying)
		if _, err := h.begin(t.Context()); fault.KindOf(err) != fault.Busy || h.current != first {
			t.Errorf("the call goes on, and the next one: %v", err)
		}
		first.ready, first.ids = time.Now(), "a"
		start := time.Now()
		if _, err := h.begin(t.Context()); fault.KindOf(err) != fault.Busy || time.Since(start) != maxMarking || h.current != first {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		first.ids = "" // being marked
		<-time.After(maxFlying)
		start = time.Now()
		second, err := h.begin(t.Context())
		if err != nil || time.Since(start) != maxMarking {
			t.Errorf("waited %s, not %s: %v", time.Since(start), maxMarking, err)
		}
		h.end(first) // as it comes to its end after all
		if h.current != second {
			t.Error("the end of the lost one ended the next")
		}
		h.end(second)
		start = time.Now()
		if _, err := h.begin(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("waited %s for nobody: %v", time.Since(start), err)
		}
	})
}
