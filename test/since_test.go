// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

// TestSinceLast: a window says how memory differs from what the window before showed to the
// same agent in the same session, also after a restart, and marks the parts.
func TestSinceLast(t *testing.T) {
	note := func(id, text string) string {
		return "* " + id + "\n:PROPERTIES:\n:ID: " + id + "\n:END:\n" + text + "\n"
	}
	const head = ":PROPERTIES:\n:ID: doc\n:END:\n"
	w := newWorld(t, map[string]string{"a.org": head + note("pump", "hums") + note("gauge", "drips") + note("quay", "lies")})
	w.ingest()
	ada := w.desk("ada", "")
	ask := func(d *agentDesk) *api.ContextResponse {
		t.Helper()
		c, err := api.OpContext.Call(d.ctx, d.svc, api.ContextRequest{SinceLast: true, Budget: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	want := func(c *api.ContextResponse, fresh, changed, gone []string, unchanged int) {
		t.Helper()
		got := []any{c.Since.New, c.Since.Changed, c.Since.Gone, c.Since.Unchanged}
		if diff := cmp.Diff([]any{fresh, changed, gone, unchanged}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	none := []string{}
	first := ask(ada)
	all := []string{}
	for _, p := range first.Parts {
		all = append(all, p.ID)
	}
	want(first, all, none, none, 0)
	if !first.Since.Time.IsZero() {
		t.Errorf("there was no window, but one at %v", first.Since.Time)
	}
	want(ask(ada), none, none, none, len(all))
	w.write(map[string]string{"a.org": head + note("pump", "hums loudly") + note("quay", "lies") + note("boat", "swims")})
	w.ingest()
	w.reopen()
	ada = w.desk("ada", "")
	c := ask(ada)
	want(c, []string{"boat"}, []string{"pump"}, []string{"gauge"}, len(all)-2)
	for _, p := range c.Parts {
		mark := map[string]string{"boat": "; new since the window before", "pump": "; changed since the window before"}[p.ID]
		if has := strings.Contains(p.Reason, "since the window before"); has != (mark != "") || !strings.HasSuffix(p.Reason, mark) {
			t.Errorf("%s: %s", p.ID, p.Reason)
		}
	}
	if bob := ask(w.desk("bob", "")); len(bob.Since.New) != len(c.Parts) {
		t.Errorf("bob is told of the window of ada: %+v", bob.Since)
	}
	if other := ask(w.desk("ada", "other")); len(other.Since.New) != len(other.Parts) {
		t.Errorf("another session: %+v", other.Since)
	}
	for name, call := range map[string]struct {
		ctx context.Context
		req api.ContextRequest
	}{
		"the owner": {author.WithGrant(t.Context(), api.Grant{Role: api.Owner}), api.ContextRequest{SinceLast: true}},
		"a moment":  {ada.ctx, api.ContextRequest{SinceLast: true, At: "seq:1"}},
	} {
		if _, err := api.OpContext.Call(call.ctx, ada.svc, call.req); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
