// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/window"
)

// shared is a memory with forty notes of an agent, and some of the owner.
func shared(owned int) (*memory, scores) {
	m, near := newMemory(), scores{}
	m.add("", window.Item{ID: "agent", Title: "Notes", Path: "agents/mint/notes.org", Agent: "mint"})
	m.add("", window.Item{ID: "owner", Title: "Diary", Path: "diary.org"})
	for i := range 40 {
		id := fmt.Sprint("mint", i)
		m.add("agent", window.Item{ID: id, Title: fmt.Sprint("Reading ", i), Agent: "mint", Body: strings.Repeat("The pump shows one bar. ", 10)})
		near[id] = .9 - float64(i)/100
	}
	for i := range owned {
		id := fmt.Sprint("own", i)
		m.add("owner", window.Item{ID: id, Title: fmt.Sprint("Day ", i), Body: strings.Repeat("It rained all day long. ", 10)})
		near[id] = .5
	}
	return m, near
}

// TestCapOnAgents: an agent gets at most 30 % of a window while somebody else wants the
// room, unless it asks itself or the owner trusts it.
func TestCapOnAgents(t *testing.T) {
	trusts := func(name, file string) func(agent, path string) bool {
		return func(agent, path string) bool { return agent == name || path == file }
	}
	for _, tc := range []struct {
		name   string
		owned  int
		req    window.Request
		capped bool
		reason string
	}{
		{"others want the room", 20, window.Request{}, true, "; by agent mint, not trusted"},
		{"another agent asks", 20, window.Request{Caller: window.Caller{Agent: "sage"}}, true, "; by agent mint, not trusted"},
		{"nobody else wants the room", 0, window.Request{}, false, "; by agent mint, not trusted"},
		{"it asks itself", 20, window.Request{Caller: window.Caller{Agent: "mint"}}, false, "; by agent mint, who asks"},
		{"it is trusted", 20, window.Request{Caller: window.Caller{Trusts: trusts("mint", "")}}, false, "; by agent mint, trusted"},
		{"its file is trusted", 20, window.Request{Caller: window.Caller{Trusts: trusts("", "agents/mint/notes.org")}}, false, "; by agent mint, trusted"},
		{"another one is trusted", 20, window.Request{Caller: window.Caller{Trusts: trusts("sage", "diary.org")}}, true, "; by agent mint, not trusted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, near := shared(tc.owned)
			tc.req.Question, tc.req.Budget, tc.req.Explain = "pump", 1200, true
			w := build(t, m, near, tc.req)
			tokens := 0
			for _, p := range w.Parts {
				if strings.HasPrefix(p.ID, "mint") {
					tokens += p.Tokens
					if !strings.HasSuffix(p.Reason, tc.reason) {
						t.Errorf("reason %q, want it to end in %q", p.Reason, tc.reason)
					}
				}
			}
			const leftover = .05 // room too small for the others
			if capped := float64(tokens) <= (.3+leftover)*float64(w.Budget); capped != tc.capped {
				t.Errorf("the agent has %d of %d tokens", tokens, w.Budget)
			}
			if why := strings.Contains(fmt.Sprint(w.OmittedTop), " cap}"); why != tc.capped {
				t.Errorf("left out: %v", w.OmittedTop)
			}
		})
	}
}

// TestFirstComesFirst: the best node for a question is whole if it fits a third of the
// budget; else at least a quarter of the budget is its lines.
func TestFirstComesFirst(t *testing.T) {
	for _, format := range allFormats {
		for budget := 150; budget < 3000; budget += 50 {
			m, near := shared(30)
			var log strings.Builder
			for i := range 150 {
				fmt.Fprintf(&log, "- on day %d the valve was opened by hand\n", i)
			}
			m.add("owner", window.Item{ID: "log", Title: "Log", Body: log.String()})
			m.add("owner", window.Item{ID: "short", Title: "Short", Body: log.String()[:300]})
			for _, id := range []string{"log", "short"} {
				near[id] = 2
				w := build(t, m, near, window.Request{Question: "valve", Budget: budget, Format: format})
				near[id] = 0
				alone := build(t, m, scores{id: 1}, window.Request{Question: "valve", Budget: 20_000, Format: format})
				got, whole := part(t, w, id), part(t, alone, id)
				switch lines := got.Tokens * 4; {
				case whole.Tokens*3 <= budget && got.Level != window.Full:
					t.Errorf("%s, %d: %s of %d tokens is shown as %v", format, budget, id, whole.Tokens, got.Level)
				case whole.Tokens*3 > budget && lines < budget:
					t.Errorf("%s, %d: %s has %d tokens", format, budget, id, got.Tokens)
				}
			}
		}
	}
}

// TestBudgetsAreUsed: where a node has more to say, little of a small budget is left.
func TestBudgetsAreUsed(t *testing.T) {
	m, near := newMemory(), scores{}
	m.add("", window.Item{ID: "d", Title: "Diary", Path: "d.org"})
	for i := range 5 {
		id := fmt.Sprint("n", i)
		m.add("d", window.Item{ID: id, Title: fmt.Sprint("Day ", i), Body: strings.Repeat("The pump hums and the gauge is silent today. ", 80)})
		near[id] = 1 - float64(i)/10
	}
	for budget := 80; budget < 400; budget += 10 {
		if w := build(t, m, near, window.Request{Question: "pump", Budget: budget}); w.Tokens*10 < budget*8 {
			t.Errorf("%d of %d tokens are used", w.Tokens, budget)
		}
	}
}
