// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/window"
)

// hiveLines are the lines that claims and messages keep in drawers.
var hiveLines = regexp.MustCompile(`(?m)^[ \t]*:(CLAIMED_BY|CLAIM|LEASE_UNTIL|FROM|TO|THREAD|SENT|READ):.*\n`)

// inHive is a memory in which bob has claimed a task and sent two messages to ada, and one of whose
// notes says what scout is never to do.
func inHive(t *testing.T) *world {
	w := newWorld(t, map[string]string{
		"tasks/pump.org":      "* TODO Mend the pump\n:PROPERTIES:\n:ID: pump\n:END:\nThe valve of the pump leaks.\n",
		"notes/valve.org":     "* The valve\n:PROPERTIES:\n:ID: valve\n:END:\nThe valve of the pump is of brass.\n",
		"agents/ada/own.org":  "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\nThe pump hums.\n",
		"agents/bob/own.org":  "* His\n:PROPERTIES:\n:ID: his\n:END:\nThe pump drips.\n",
		"agents/scout/ROM.md": "Never open the valve of the pump.\n",
	})
	w.ingest()
	bob := w.desk("bob", "")
	if _, err := ops.OpTaskClaim.Call(bob.ctx, bob.svc, ops.ClaimRequest{Task: "pump"}); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"The valve of the pump", "Brass for the pump"} {
		sent := ops.MessageSendRequest{To: "ada", Subject: subject, Body: "Which pump has the valve?"}
		if _, err := ops.OpMessageSend.Call(bob.ctx, bob.svc, sent); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// shownAs is what a window shows of a node, and what it costs.
type shownAs struct {
	Level  window.Level
	Tokens int
}

// windowOf is the window of ada for a question, and what it shows by id.
func windowOf(w *world, policy string, budget int) (*api.ContextResponse, map[string]shownAs) {
	w.t.Helper()
	ada := w.desk("ada", "")
	c, err := api.OpContext.Call(ada.ctx, ada.svc, api.ContextRequest{Question: "Where is the valve of the pump?", Policy: policy, Budget: budget})
	if err != nil {
		w.t.Fatal(err)
	}
	parts := map[string]shownAs{}
	for _, p := range c.Parts {
		parts[p.ID] = shownAs{p.Level, p.Tokens}
	}
	return c, parts
}

// TestHiveDrawersTakeNoRoom: what claims and messages keep in drawers costs no token of any window,
// and what another agent is ordered neither: each part costs what it costs in a memory without both.
// The windows are the same, but for policy foveal, which shows what ranks next to the best hit, and
// ranks a text in proportion to its length, drawers included.
func TestHiveDrawersTakeNoRoom(t *testing.T) {
	w := inHive(t)
	bare := map[string]string{}
	lines := 0
	for name, text := range w.onDisk() {
		lines += len(hiveLines.FindAllString(text, -1))
		bare[name] = hiveLines.ReplaceAllString(text, "")
	}
	if lines < 13 {
		t.Fatalf("claims and messages keep %d lines in drawers", lines)
	}
	maps.DeleteFunc(bare, func(name, _ string) bool { return name == "agents/scout/ROM.md" })
	without := newWorld(t, bare)
	without.ingest()
	for _, policy := range []string{window.PolicyValue, window.PolicyFoveal, window.PolicyShares} {
		for _, budget := range []int{60, 100, 150, 200, 300, 8000} {
			got, parts := windowOf(w, policy, budget)
			want, wantParts := windowOf(without, policy, budget)
			for id, part := range parts {
				if other, ok := wantParts[id]; ok && other.Level == part.Level && other != part {
					t.Errorf("%s of %d: %s costs %d tokens and not %d:\n%s", policy, budget, id, part.Tokens, other.Tokens, cmp.Diff(want.Text, got.Text))
				}
			}
			if policy != window.PolicyFoveal && (got.Tokens != want.Tokens || !maps.Equal(parts, wantParts)) {
				t.Errorf("%s of %d: %d tokens and not %d (-without +with):\n%s\n%s", policy, budget, got.Tokens, want.Tokens,
					cmp.Diff(wantParts, parts), cmp.Diff(want.Text, got.Text))
			}
		}
	}
}

// TestRepeatedWindowTakesNoRoom: a window since the one before, of a memory that is as it was, has one
// line and no part, at any budget; what changes comes whole, and fresh gives all of it again.
func TestRepeatedWindowTakesNoRoom(t *testing.T) {
	w := inHive(t)
	for _, budget := range []int{100, 300, 8000} {
		ada := w.acting(fmt.Sprint("ada", budget), "")
		ask := func(fresh bool) *api.ContextResponse {
			c, err := api.OpContext.Call(ada.ctx, ada.svc, api.ContextRequest{Question: "valve of the pump", SinceLast: true, Fresh: fresh, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		first := ask(true)
		if len(first.Parts) == 0 || first.Tokens < 20 {
			t.Fatalf("%d: the first window has %d parts", budget, len(first.Parts))
		}
		for range 3 {
			again := ask(false)
			if len(again.Parts) > 0 || again.Tokens > 10 {
				t.Errorf("%d: a repeated window has %d parts and %d tokens: %s", budget, len(again.Parts), again.Tokens, again.Text)
			}
		}
		if again := ask(true); again.Text != first.Text {
			t.Errorf("%d: anew (-first +again):\n%s", budget, cmp.Diff(first.Text, again.Text))
		}
		for i := range 3 { // what the agent does is no news
			do(ada, api.OpSearch, api.SearchRequest{Text: fmt.Sprint("brass ", budget, i)})
			ada.did()
			again := ask(false)
			if len(again.Parts) > 0 || again.Tokens > 10 || len(again.Since.New)+len(again.Since.Changed)+len(again.Since.Gone) > 0 {
				t.Errorf("%d: after a search there are %d parts and %d tokens, %+v: %s", budget, len(again.Parts), again.Tokens, again.Since, again.Text)
			}
		}
	}
}

// TestSessionNamesNoActions: a session that was shown what its agent did is not told that it has left
// working memory, nor that it came out otherwise.
func TestSessionNamesNoActions(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\nThe pump hums.\n"})
	w.ingest()
	ada := w.acting("ada", "s")
	search := func(i int) { do(ada, api.OpSearch, api.SearchRequest{Text: fmt.Sprint("pump ", i)}) }
	for i := range 7 {
		search(i)
	}
	if did := ada.did(); len(did) != 7 {
		t.Fatalf("did %q", did)
	}
	ask := func(budget int) string {
		return do(ada, api.OpContext, api.ContextRequest{Question: "pump", Budget: budget}).Text
	}
	if text := ask(8000); strings.Count(text, "Did:\n search pump") != 7 {
		t.Fatalf("shown\n%s", text)
	}
	w.save("a.org", "* Pump\nThe pump hums. A new pump waits.\n")
	w.clock = w.clock.Add(30 * time.Minute)
	for i := range 40 {
		search(i + 6)
	}
	ada.did()
	if text := ask(120); strings.Contains(text, "No longer there") || !strings.Contains(text, "A new pump waits.") {
		t.Errorf("after 40 searches\n%s", text)
	}
	w.clock = w.clock.Add(2 * time.Hour)
	ada.did()
	if text := ask(120); strings.Contains(text, "No longer there") {
		t.Errorf("after two hours\n%s", text)
	}
}

// TestUnmatchedIsAboutTheQuestion: that no note has a word of the question is not said of a window
// about a focus.
func TestUnmatchedIsAboutTheQuestion(t *testing.T) {
	ada := inHive(t).desk("ada", "")
	for focus, want := range map[string]bool{"": true, "valve": false} {
		c := do(ada, api.OpContext, api.ContextRequest{Question: "zebra", Focus: focus, Budget: 1000})
		if c.Unmatched != want {
			t.Errorf("with the focus %q: unmatched %v", focus, c.Unmatched)
		}
	}
}
