// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// TestBackgroundTakesNoRoom: in policies value and foveal, with any budget, a window over notes and
// what Fovea noted of its agent shows exactly as much of the notes as one without that; only what
// room they leave goes to it. In policy shares the class of a block decides.
func TestBackgroundTakesNoRoom(t *testing.T) {
	now := time.Date(2026, 11, 27, 5, 0, 0, 0, time.UTC)
	for _, notes := range []int{1, 3, 40} {
		var own, all []window.Item
		for i := range notes {
			own = append(own, window.Item{ID: fmt.Sprintf("n%02d", i), Title: fmt.Sprintf("Fact %d of the release", i), Path: fmt.Sprintf("n%02d.org", i),
				Type: "document", Body: fmt.Sprintf("A version is published on day %d, after the tests of the release have run.\n", i)})
		}
		all = append(all, own...)
		for i := range 30 {
			b := piece(fmt.Sprintf("did%02d", i), working.Low, 8)
			b.Title, b.Working.Background, b.Working.Time = fmt.Sprintf("Did: search the release version %d", i), true, now
			all = append(all, b)
		}
		var similar scored
		for i := range all {
			similar = append(similar, window.Scored{ID: all[i].ID, Score: 0.9})
		}
		for _, policy := range []string{window.PolicyValue, window.PolicyFoveal} {
			for _, budget := range []int{40, 60, 100, 200, 300, 1000, 8000} {
				req := window.Request{Question: "When is the release version published?", Policy: policy, Budget: budget, Caller: window.Caller{Agent: "mint", Now: now}}
				want, got := build(t, desk(own...), similar, req), build(t, desk(all...), similar, req)
				levels := func(w *window.Window) (out []string) {
					for _, p := range w.Parts {
						if p.Path[0] != '/' {
							out = append(out, p.ID+" "+p.Level.String())
						}
					}
					return out
				}
				if !slices.Equal(levels(want), levels(got)) {
					t.Errorf("%d notes, %s, %d: with what the agent did %v, without %v", notes, policy, budget, levels(got), levels(want))
				}
				if budget == 8000 && len(got.Parts) == len(want.Parts) {
					t.Errorf("%d notes, %s: room is left, and nothing of what the agent did is shown", notes, policy)
				}
			}
		}
	}
}

// TestOrdersOfAnotherAgent: a window of an agent does not hold what is ordered of another one. The
// agent itself, the owner, and who makes it the focus get it.
func TestOrdersOfAnotherAgent(t *testing.T) {
	rom := window.Item{ID: "rom", Title: "What you never do", Path: "agents/scout/ROM.org", Type: "document", Body: "Send anything outside the house.\n"}
	other := window.Item{ID: "other", Title: "Romans", Path: "agents/scout/notes.org", Type: "document", Body: "They came from the house.\n"}
	trip := window.Item{ID: "trip", Title: "Romania trip", Path: "agents/scout/romania.org", Type: "document", Body: "Leave the house.\n"}
	deep := window.Item{ID: "deep", Title: "House of Rome", Path: "agents/scout/ROMA/rome.org", Type: "document", Body: "Outside of it.\n"}
	similar := scored{{ID: "rom", Score: 0.9}, {ID: "other", Score: 0.8}, {ID: "trip", Score: 0.8}, {ID: "deep", Score: 0.8}}
	for _, policy := range []string{window.PolicyValue, window.PolicyFoveal, window.PolicyShares} {
		for _, tc := range []struct {
			agent, focus string
			want         bool
		}{{"bob", "", false}, {"scout", "", true}, {"", "", true}, {"bob", "rom", true}} {
			w := build(t, desk(rom, other, trip, deep), similar, window.Request{
				Question: "outside the house", Focus: tc.focus, Policy: policy, Budget: 1000, Caller: window.Caller{Agent: tc.agent},
			})
			all := slices.Contains(shown(w), "trip") && slices.Contains(shown(w), "deep")
			if got := slices.Contains(shown(w), "rom"); got != tc.want || !all {
				t.Errorf("%s: %q with focus %q is shown %v", policy, tc.agent, tc.focus, shown(w))
			}
		}
	}
}
