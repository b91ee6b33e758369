// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/guard"
)

// An emptied file is not a removed one: each is told, and each can be rejected.
func TestGuardTellsEmptiedFromRemoved(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	g.come("skills/empty.org", "")
	g.lockdown("skills/empty.org")
	if _, err := g.m.Guard().Adopt(t.Context(), "skills/empty.org", nil); err != nil {
		t.Fatal(err)
	}
	before := g.onDisk()
	for _, step := range []struct {
		name, file string
		change     func()
		want       string
	}{
		{"emptied", "skills/plan.org", func() { g.tamper("skills/plan.org", "") }, "was changed outside"},
		{"removed", "skills/plan.org", func() { g.remove("skills/plan.org") }, "was removed outside"},
		{"emptied and removed", "skills/plan.org", func() { g.tamper("skills/plan.org", ""); g.read(); g.remove("skills/plan.org") }, "was removed outside"},
		{"an empty one removed", "skills/empty.org", func() { g.remove("skills/empty.org") }, "was removed outside"},
		{"an empty one filled", "skills/empty.org", func() { g.tamper("skills/empty.org", "evil\n") }, "was changed outside"},
	} {
		g.alerts = nil
		step.change()
		g.lockdown(step.file)
		g.ingest()
		g.reopen()
		g.lockdown(step.file)
		if n := len(g.alerts); n == 0 ||
			!strings.Contains(g.alerts[n-1][1], step.want) || strings.Contains(g.alerts[n-1][1], "sha256") == (step.want == "was removed outside") {
			t.Errorf("%s: told %+v, want it %s", step.name, g.alerts, step.want)
		}
		if _, err := g.m.Guard().Reject(t.Context(), step.file, nil); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		g.lockdown()
		if diff := cmp.Diff(before, g.onDisk()); diff != "" {
			t.Errorf("%s: on disk (-want +got):\n%s", step.name, diff)
		}
	}
	g.remove("skills/empty.org")
	if _, err := g.m.Guard().Adopt(t.Context(), "skills/empty.org", nil); err != nil {
		t.Fatal(err)
	}
	g.reopen()
	g.lockdown()
	g.come("skills/empty.org", "")
	g.lockdown("skills/empty.org")
}

// Each change is told once, by whomever and however often the file is read; put
// back and changed again it is another one.
func TestGuardTellsOnce(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	for i, step := range []struct {
		text  string
		alert int
	}{{"a", 1}, {"a", 1}, {"b", 2}, {planSkill, 2}, {"b", 3}} {
		g.tamper("skills/plan.org", step.text)
		for range 3 {
			g.read()
		}
		g.reopen()
		g.ingest()
		g.read()
		if len(g.alerts) != step.alert {
			t.Errorf("step %d: %d alerts, want %d", i, len(g.alerts), step.alert)
		}
	}
}
