// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/working"
)

// TestBacklinksInShow: show names the nodes that link to one, now and at a moment, and of
// working memory those of the agent that asks alone.
func TestBacklinksInShow(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "* Gauge\n:PROPERTIES:\n:ID: g1\n:END:\nIt hums.\n* Plan\nSee [[*Gauge]].\n",
		"b.org": "* Report\n[[id:g1][the gauge]]\n",
	})
	w.ingest()
	ada, bob := w.desk("ada", "s"), w.desk("bob", "s")
	ada.add(working.Block{Type: working.Task, TaskID: "T", Description: "zebra [[id:g1]]"})
	titles := func(ctx context.Context, at string) (out []string) {
		n, err := api.OpShow.Call(ctx, ada.svc, api.ShowRequest{ID: "g1", At: at})
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range n.Backlinks {
			out = append(out, fmt.Sprintf("%s:%d %s", from.Path, from.Line, from.Title))
		}
		if n.BacklinkCount != len(out) {
			t.Errorf("%d of %d", len(out), n.BacklinkCount)
		}
		return out
	}
	if diff := cmp.Diff([]string{"a.org:6 Plan", "b.org:1 Report"}, titles(bob.ctx, "")); diff != "" {
		t.Errorf("bob (-want +got):\n%s", diff)
	}
	if got := titles(ada.ctx, ""); len(got) != 3 || !strings.Contains(got[0], "Task T") {
		t.Errorf("ada is shown %q, want her task too", got)
	}
	w.write(map[string]string{"b.org": "* Report\nNothing.\n"})
	if diff := cmp.Diff([]string{"a.org:6 Plan"}, titles(bob.ctx, "")); diff != "" {
		t.Errorf("after an edit (-want +got):\n%s", diff)
	}
	var many strings.Builder
	for i := range 60 {
		fmt.Fprintf(&many, "* N%d\n[[id:g1]]\n", i)
	}
	w.write(map[string]string{"many.org": many.String()})
	n, err := api.OpShow.Call(bob.ctx, bob.svc, api.ShowRequest{ID: "g1"})
	if err != nil || len(n.Backlinks) != 50 || n.BacklinkCount != 61 {
		t.Errorf("%d of %d are named: %v", len(n.Backlinks), n.BacklinkCount, err)
	}
}
