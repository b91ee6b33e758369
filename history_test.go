// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
)

// What the log prints names the commit it was printed for: its time, though
// that was cut to seconds, and enough of its digest, but not less.
func TestMomentsAsTheLogPrintsThem(t *testing.T) {
	w := newWorld(t, nil)
	w.clock = w.clock.Truncate(time.Second).Add(400 * time.Millisecond)
	for i := range 40 { // more than the 32 values of one character
		w.write(map[string]string{"a.org": fmt.Sprintf("* %d\n", i)})
		w.ingest()
	}
	commits, err := w.m.Log(t.Context(), "", 0)
	if err != nil || len(commits) != 40 {
		t.Fatalf("%d commits, %v", len(commits), err)
	}
	ambiguous := 0
	for _, c := range commits {
		want := fmt.Sprintf("seq:%d", c.Seq)
		local := c.Time.Local()
		for _, text := range []string{
			local.Format("2006-01-02 15:04:05"), local.Format("2006-01-02T15:04:05"), local.Format("2006-01-02 15:04"),
			c.Time.Format(time.RFC3339), c.Time.Format(time.RFC3339Nano), c.Digest.String(), c.Digest.String()[:16], c.Root.String()[:16],
		} {
			if got, err := w.m.Resolve(t.Context(), text); err != nil || got != want {
				t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
			}
		}
		if _, err := w.m.Resolve(t.Context(), c.Digest.String()[:8]); fovea.KindOf(err) == fovea.Ambiguous {
			ambiguous++
		}
	}
	if ambiguous == 0 {
		t.Error("one character of a digest named one of 40 commits")
	}
}
