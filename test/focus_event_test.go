// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// TestPointUpdate: the event sets the focus of the agent's windows, by each of its names; the
// last one counts, for this agent and session alone, until the request names another or the
// node is gone; working memory has one block of it.
func TestPointUpdate(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "* Pump\n:PROPERTIES:\n:ID: pump\n:END:\nIt hums.\n* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\nIt drips.\n",
	})
	w.ingest()
	ada, bob := w.desk("ada", "s"), w.desk("bob", "s")
	event := func(fill func(*api.EventRequest)) (*api.EventResponse, error) {
		req := api.EventRequest{Event: "point-update"}
		fill(&req)
		return api.OpEvent.Call(ada.ctx, ada.svc, req)
	}
	focus := func(d *agentDesk, named string) string {
		t.Helper()
		for _, p := range d.context(api.ContextRequest{Focus: named}).Parts {
			if strings.HasPrefix(p.Reason, "focus") {
				return p.ID
			}
		}
		return ""
	}
	for _, c := range []struct {
		want string
		fill func(*api.EventRequest)
	}{
		{"pump", func(r *api.EventRequest) { r.Payload.TargetID = "pump" }},
		{"gauge", func(r *api.EventRequest) { r.FovealFocus, r.Payload.TargetID = "Gauge", "pump" }},
		{"pump", func(r *api.EventRequest) { r.Focus, r.FovealFocus = "a.org:5", "gauge" }},
	} {
		got, err := event(c.fill)
		if err != nil || got.Focus != c.want {
			t.Fatalf("%+v, %v; want the focus %s", got, err, c.want)
		}
		if got := focus(ada, ""); got != c.want {
			t.Errorf("the focus is %q, want %q", got, c.want)
		}
	}
	if got := focus(ada, "gauge"); got != "gauge" {
		t.Errorf("a named focus is %q", got)
	}
	if got := focus(bob, ""); got != "" {
		t.Errorf("the focus of bob is %q", got)
	}
	if got := ada.ids(); len(got) != 1 {
		t.Errorf("working memory has %v", got)
	}
	for _, fill := range []func(*api.EventRequest){func(*api.EventRequest) {}, func(r *api.EventRequest) { r.Focus = "nobody" }} {
		if _, err := event(fill); fovea.KindOf(err) != fovea.Invalid && fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("a wrong event: %v", err)
		}
	}
	w.write(map[string]string{"a.org": "* Quay\n"})
	w.ingest()
	if got := focus(ada, ""); got != "" {
		t.Errorf("the focus that is gone is %q", got)
	}
}
