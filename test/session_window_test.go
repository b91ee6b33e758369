// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/window"
)

const sessionNotes = "* Pump\n:PROPERTIES:\n:ID: pump\n:END:\nThe pump hums at night.\n* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\nThe gauge is on the roof.\n"

// TestSessionWindows: what a session was shown is known after a restart, for each agent
// of it, until it begins anew.
func TestSessionWindows(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": sessionNotes})
	w.ingest()
	show := func(ctx context.Context, session string, fresh bool) string {
		t.Helper()
		win, err := w.m.SessionWindow(ctx, w.m.View(), session, window.Request{Question: "pump"}, fresh)
		if err != nil {
			t.Fatal(err)
		}
		return win.Text
	}
	hums := func(text string) bool { return strings.Contains(text, "hums at night") }
	mint := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint")})
	if !hums(show(t.Context(), "tea", false)) || hums(show(t.Context(), "tea", false)) {
		t.Error("a session is not told, or told twice")
	}
	if !hums(show(mint, "tea", false)) || hums(show(mint, "tea", false)) {
		t.Error("another agent of the session is not told, or told twice")
	}
	if !hums(show(t.Context(), "coffee", false)) {
		t.Error("another session is not told")
	}
	w.reopen()
	if hums(show(t.Context(), "tea", false)) || hums(show(mint, "tea", false)) {
		t.Error("a session is told again after a restart")
	}
	if !hums(show(t.Context(), "tea", true)) || hums(show(mint, "tea", false)) {
		t.Error("beginning anew is not for one reader alone")
	}
	w.write(map[string]string{"a.org": strings.Replace(sessionNotes, "at night", "all day", 1)})
	w.ingest()
	if text := show(t.Context(), "tea", false); !strings.Contains(text, "all day") || !strings.Contains(text, "Corrected since you saw it.") {
		t.Errorf("a correction is not told:\n%s", text)
	}
	w.write(map[string]string{"a.org": "* Gauge\n"})
	w.ingest()
	if text := show(t.Context(), "tea", false); !strings.Contains(text, "No longer there since you saw it: ") {
		t.Errorf("what is gone is not named:\n%s", text)
	}
}

// TestStickyWindowForgetsWhatIsUndecided: a text made while a protected file was changed
// from outside is not repeated after its owner has decided.
func TestStickyWindowForgetsWhatIsUndecided(t *testing.T) {
	g := newGuarded(t, guard.Rules{Ask: []string{"/skills/"}})
	g.tamper("skills/plan.org", planSkill+"forged orders\n")
	g.ingest()
	req := window.Request{Question: "forged orders", Session: &window.Session{Layout: window.LayoutSticky}}
	first, err := g.m.SessionWindow(t.Context(), g.read(), "tea", req, false)
	if err != nil || !strings.Contains(first.Text, "forged orders") {
		t.Fatalf("a file that is only to be reviewed is not served: %v\n%s", err, first.Text)
	}
	g.tamper("skills/plan.org", planSkill)
	g.ingest()
	second, err := g.m.SessionWindow(t.Context(), g.read(), "tea", req, false)
	if err != nil || strings.Contains(second.Text, "forged orders") {
		t.Errorf("what the file does not say any more is repeated: %v\n%s", err, second.Text)
	}
}
