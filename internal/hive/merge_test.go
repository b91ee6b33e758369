// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/travel"
)

// copy returns another machine with what this one has.
func (w *world) copy() *world {
	w.t.Helper()
	c := &world{t: w.t, folder: w.folder.Clone(), disk: w.disk.Clone(), now: w.now}
	c.open()
	w.t.Cleanup(func() { c.m.Close() })
	return c
}

// merge takes over what another machine has.
func (w *world) merge(from *world) []document.Conflict {
	w.t.Helper()
	_, _, conflicts, err := travel.MergeStore(context.Background(), travel.Of(w.m.History()), from.disk.Clone(), "other", &fovea.WriteOptions{})
	must(w.t, err)
	return conflicts
}

// TestMergedClaims: two machines gave the same task away. Whichever merges, the earlier claim
// stays, and the loser's next write fails.
func TestMergedClaims(t *testing.T) {
	for _, c := range []struct {
		name       string
		here, away string // who claims
		lead       time.Duration
		winner     string
	}{
		{"here first", "ada", "bob", time.Second, "here"}, {"away first", "ada", "bob", -time.Second, "away"},
		{"at once", "bob", "ada", 0, "away"}, {"one agent on two machines", "ada", "ada", time.Second, "here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			here := newWorld(t, map[string]string{"tasks.org": someTasks})
			away := here.copy()
			here.now, away.now = start.Add(time.Minute), start.Add(time.Minute+c.lead)
			mine, err := here.claim(c.here, "hull")
			must(t, err)
			theirs, err := away.claim(c.away, "hull")
			must(t, err)
			hereAgain, awayAgain := here.copy(), away.copy()
			conflicts := here.merge(awayAgain)
			away.merge(hereAgain)
			won, lost, loser := mine, theirs, c.away
			if c.winner == "away" {
				won, lost, loser = theirs, mine, c.here
			}
			if !slices.ContainsFunc(conflicts, func(o document.Conflict) bool {
				return o.Field == "property CLAIMED_BY" && strings.Contains(o.Kept, won.By) && strings.Contains(o.Lost, loser)
			}) {
				t.Errorf("conflicts %+v", conflicts)
			}
			for name, w := range map[string]*world{"here": here, "away": away} {
				if got := w.hive().Tasks(t.Context(), hive.Filter{Holder: won.By}); len(got) != 1 || got[0].Claim != won {
					t.Errorf("%s: %+v, want %+v\n%s", name, got, won, w.text("tasks.org"))
				}
				_, err := w.m.Notes().Edit(under(loser, "hull", lost.Number), "paint", nil, document.AppendBody{Text: "x"})
				fails(t, err, hive.ErrClaim, fault.Conflict)
				_, _, err = w.hive().Renew(as(loser), "hull", lost.Number, time.Minute, nil)
				fails(t, err, hive.ErrClaim, fault.Conflict)
				_, err = w.hive().Release(as(won.By), "hull", won.Number, nil)
				must(t, err)
				next, err := w.claim(loser, "hull")
				if err != nil || next.Number <= max(won.Number, lost.Number) {
					t.Errorf("%s: the next claim is %+v, %v", name, next, err)
				}
			}
		})
	}
}

// TestMergedProgress: a claim goes together, whatever one side did to it.
func TestMergedProgress(t *testing.T) {
	type side func(w *world, c hive.Claim) error
	renew := func(d time.Duration) side {
		return func(w *world, c hive.Claim) error {
			_, _, err := w.hive().Renew(as("ada"), "hull", c.Number, d, nil)
			return err
		}
	}
	done := func(w *world, c hive.Claim) error {
		_, err := w.hive().Done(as("ada"), "hull", c.Number, nil)
		return err
	}
	release := func(w *world, c hive.Claim) error {
		_, err := w.hive().Release(as("ada"), "hull", c.Number, nil)
		return err
	}
	take := func(w *world, c hive.Claim) error {
		err := release(w, c)
		if err == nil {
			_, err = w.claim("bob", "hull")
		}
		return err
	}
	for name, c := range map[string]struct {
		here, away  side
		holder, doc string
		lease       time.Duration
	}{
		"both renew":            {renew(time.Minute), renew(time.Hour), "ada", "* TODO Weld", time.Hour},
		"renewed and done":      {renew(time.Hour), done, "", "* DONE Weld", 0},
		"renewed and released":  {renew(time.Hour), release, "ada", "* TODO Weld", time.Hour},
		"released and retaken":  {release, take, "bob", "* TODO Weld", time.Minute},
		"renewed and retaken":   {renew(time.Hour), take, "ada", "* TODO Weld", time.Hour},
		"only away":             {func(*world, hive.Claim) error { return nil }, take, "bob", "* TODO Weld", time.Minute},
		"released on one alone": {release, func(*world, hive.Claim) error { return nil }, "", "* TODO Weld", 0},
	} {
		t.Run(name, func(t *testing.T) {
			here := newWorld(t, map[string]string{"tasks.org": someTasks})
			claim, err := here.claim("ada", "hull")
			must(t, err)
			away := here.copy()
			here.now, away.now = start.Add(30*time.Second), start.Add(30*time.Second)
			must(t, c.here(here, claim))
			must(t, c.away(away, claim))
			hereAgain, awayAgain := here.copy(), away.copy()
			here.merge(awayAgain)
			away.merge(hereAgain)
			if here.m.View().Root() != away.m.View().Root() {
				t.Errorf("here:\n%saway:\n%s", here.text("tasks.org"), away.text("tasks.org"))
			}
			var holder string
			var lease time.Duration
			for _, task := range here.hive().Tasks(t.Context(), hive.Filter{All: true}) {
				if task.ID == "hull" {
					holder = task.Claim.By
					if !task.Claim.IsZero() {
						lease = task.Claim.Until.Sub(start.Add(30 * time.Second)).Round(time.Second)
					}
				}
			}
			if holder != c.holder || lease != c.lease || !strings.HasPrefix(here.text("tasks.org"), c.doc) {
				t.Errorf("held by %q for %v:\n%s", holder, lease, here.text("tasks.org"))
			}
		})
	}
}
