// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestFeedbackByCitation: an agent hands its answer over, and the handles in it that its last
// window showed count as useful; an answer without one, and one without a window, is told so.
func TestFeedbackByCitation(t *testing.T) {
	svc, _ := memory(t)
	ada := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("ada")}), nil, "")
	say := func(answer string) (string, bool) {
		return call(t, ada, "history", map[string]any{"action": "feedback", "answer": answer})
	}
	if got, failed := say("nothing"); !failed || !strings.Contains(got, "no such window") {
		t.Errorf("without a window: %v, %s", failed, got)
	}
	const handle = "dcayq" // of the gauge
	if window, failed := call(t, ada, "context", map[string]any{"question": "gauge", "budget": 2000}); failed || !strings.Contains(window, handle) {
		t.Fatalf("the window does not show it: %s", window)
	}
	if got, failed := say("I do not know."); !failed || !strings.Contains(got, "cites nothing") {
		t.Errorf("of an answer that cites nothing: %v, %s", failed, got)
	}
	if got, failed := call(t, ada, "history", map[string]any{"action": "feedback"}); !failed || !strings.Contains(got, "no note is judged") {
		t.Errorf("without an answer: %v, %s", failed, got)
	}
	if got, failed := say("It is calibrated (" + handle + ")."); failed || !strings.Contains(got, `"useful":1,"not":0`) {
		t.Errorf("of an answer that cites %s: %v, %s", handle, failed, got)
	}
}
