// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/scope"
)

// under returns a context of an agent that works under a claim.
func under(name, task string, number uint64) context.Context {
	return author.WithActor(as(name), author.Actor{Claim: author.Claim{Task: task, Number: number}})
}

// claim claims a task for a minute.
func (w *world) claim(name, task string) (hive.Claim, error) {
	c, _, err := w.hive().Claim(as(name), task, time.Minute, nil)
	return c, err
}

func TestClaim(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks/hull.org": "#+TODO: TODO DOING | DONE DROPPED\n" + someTasks})
	c, err := w.claim("ada", "hull")
	must(t, err)
	want := hive.Claim{By: "ada", Number: uint64(start.UnixMilli()), Until: start.Add(time.Minute)}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("the claim (-want +got):\n%s", diff)
	}
	lines := fmt.Sprintf("* DOING Weld the hull\n:PROPERTIES:\n:ID: hull\n:CLAIMED_BY: ada\n:CLAIM: %d\n:LEASE_UNTIL: 2026-11-24T09:01:00.000Z\n:END:\n", c.Number)
	if !strings.Contains(w.text("tasks/hull.org"), lines) {
		t.Errorf("the file:\n%s", w.text("tasks/hull.org"))
	}
	_, err = w.claim("bob", "hull")
	fails(t, err, hive.ErrHeld, fault.Conflict)
	_, err = w.claim("ada", "hull") // two processes of one agent
	fails(t, err, hive.ErrHeld, fault.Conflict)
	_, err = w.claim("bob", "paint")
	fails(t, err, hive.ErrBlocked, fault.Conflict)

	tasks := w.hive().Tasks(t.Context(), hive.Filter{})
	wantTasks := []hive.Task{
		{ID: "hull", Title: "Weld the hull", Path: "tasks/hull.org", Scope: "memex", Status: hive.InProgress, Claim: c},
		{ID: "paint", Title: "Paint it", Path: "tasks/hull.org", Scope: "memex", Status: hive.Pending, DependsOn: []string{"hull"}, Blocked: []string{"hull"}},
	}
	if diff := cmp.Diff(wantTasks, tasks); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
	for filter, ids := range map[hive.Filter]string{
		{Holder: "ada"}: "hull", {Free: true}: "", {Status: hive.Pending}: "paint", {Holder: "bob"}: "",
	} {
		var got []string
		for _, task := range w.hive().Tasks(t.Context(), filter) {
			got = append(got, task.ID)
		}
		if strings.Join(got, " ") != ids {
			t.Errorf("%+v: %v", filter, got)
		}
	}
	_, err = w.hive().Done(as("ada"), "hull", c.Number-1, nil)
	fails(t, err, hive.ErrClaim, fault.Conflict)
	_, err = w.hive().Done(as("bob"), "hull", c.Number, nil)
	fails(t, err, hive.ErrClaim, fault.Conflict)
	_, err = w.hive().Done(as("ada"), "hull", c.Number, nil)
	must(t, err)
	if text := w.text("tasks/hull.org"); !strings.Contains(text, fmt.Sprintf("* DONE Weld the hull\n:PROPERTIES:\n:ID: hull\n:CLAIM: %d\n:END:\n", c.Number)) {
		t.Errorf("done:\n%s", text)
	}
	_, err = w.claim("bob", "hull")
	fails(t, err, hive.ErrDone, fault.Conflict)
	_, err = w.claim("bob", "paint")
	must(t, err)
}

// TestClaimEnds: a lease ends by its clock, also by one that was set back; its number is old then.
func TestClaimEnds(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	first, err := w.claim("ada", "hull")
	must(t, err)
	w.now = w.now.Add(59 * time.Second)
	renewed, _, err := w.hive().Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || renewed.Number != first.Number || !renewed.Until.Equal(w.now.Add(time.Minute)) {
		t.Fatalf("renewed %+v, %v", renewed, err)
	}
	w.now = w.now.Add(-1000 * time.Hour) // set back: the lease lasts, and ends
	_, err = w.claim("bob", "hull")
	fails(t, err, hive.ErrHeld, fault.Conflict)
	w.now = w.now.Add(61 * time.Second)
	_, err = w.hive().Release(as("ada"), "hull", first.Number, nil)
	fails(t, err, hive.ErrClaim, fault.Conflict)
	second, err := w.claim("bob", "hull")
	must(t, err)
	if second.Number <= first.Number {
		t.Errorf("number %d after %d", second.Number, first.Number)
	}
	_, _, err = w.hive().Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	fails(t, err, hive.ErrHeld, fault.Conflict)
	w.crash() // the clock is back by weeks, and memory is opened anew
	if held := w.hive().Tasks(t.Context(), hive.Filter{Holder: "bob"}); len(held) != 1 {
		t.Errorf("after a restart bob holds %+v", held)
	}
	_, err = w.hive().Release(as("bob"), "hull", second.Number, nil)
	must(t, err)
	third, err := w.claim("bob", "hull")
	if err != nil || third.Number <= second.Number {
		t.Errorf("%+v, %v", third, err)
	}
}

// TestClaimNumbersGrow: also where a rollback or a person took the number away.
func TestClaimNumbersGrow(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	before := w.m.View().Head().Seq
	first, err := w.claim("ada", "hull")
	must(t, err)
	_, _, err = w.m.History().Rollback(t.Context(), fmt.Sprintf("seq:%d", before), &fovea.WriteOptions{})
	must(t, err)
	w.now = w.now.Add(-time.Hour)
	w.crash()
	second, err := w.claim("ada", "hull")
	if err != nil || second.Number <= first.Number {
		t.Errorf("%+v after %+v, %v", second, first, err)
	}
	_, err = w.hive().Done(as("ada"), "hull", first.Number, nil)
	fails(t, err, hive.ErrClaim, fault.Conflict)
}

func TestClaimAgain(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	opts := &fovea.WriteOptions{Key: "k"}
	first, c, err := w.hive().Claim(as("ada"), "hull", time.Minute, opts)
	must(t, err)
	w.crash()
	again, c2, err := w.hive().Claim(as("ada"), "hull", time.Minute, opts)
	if err != nil || again != first || c2.Seq != c.Seq {
		t.Errorf("again %+v, %+v, %v", again, c2, err)
	}
	if _, _, err := w.hive().Claim(as("ada"), "paint", time.Minute, opts); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the key of another claim: %v", err)
	}
	if _, _, err := w.hive().Claim(as("bob"), "hull", time.Minute, opts); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the key of another agent: %v", err)
	}
}

func TestClaimRefused(t *testing.T) {
	w := newWorld(t, map[string]string{
		"tasks.org": someTasks + "* DONE Old\n:PROPERTIES:\n:ID: old\n:END:\n* TODO Lost\n:PROPERTIES:\n:ID: lost\n:DEPENDS_ON: nothing\n:END:\n" +
			"* TODO Self\n:PROPERTIES:\n:ID: self\n:DEPENDS_ON: self\n:END:\n* TODO X\n:PROPERTIES:\n:ID: x\n:DEPENDS_ON: y\n:END:\n" +
			"* TODO Y\n:PROPERTIES:\n:ID: y\n:DEPENDS_ON: [[id:z]], old\n:END:\n* TODO Z\n:PROPERTIES:\n:ID: z\n:DEPENDS_ON: x\n:END:\n",
		"mine.org":   "* TODO Mine\n:PROPERTIES:\n:ID: mine\n:END:\n* Ours\n:PROPERTIES:\n:ID: ours\n:TASK: yes\n:END:\n",
		"tasks/f.md": "no Org",
		// A person wrote it by hand, or another program: no lease is that long.
		"tasks/far.org": "* TODO Far\n:PROPERTIES:\n:ID: far\n:CLAIMED_BY: bob\n:CLAIM: 7\n:LEASE_UNTIL: 2126-11-24T09:00:00.000Z\n:END:\n" +
			"* TODO Odd\n:PROPERTIES:\n:ID: odd\n:CLAIMED_BY: bob\n:CLAIM: 99999999999999999999\n:LEASE_UNTIL: tomorrow\n:END:\n",
	})
	seq := w.m.View().Head().Seq
	for task, want := range map[string]struct {
		cause error
		kind  fault.Kind
	}{
		"old": {hive.ErrDone, fault.Conflict}, "lost": {hive.ErrBlocked, fault.Conflict}, "self": {hive.ErrCycle, fault.Invalid},
		"x": {hive.ErrCycle, fault.Invalid}, "y": {hive.ErrCycle, fault.Invalid}, "mine": {hive.ErrNoTask, fault.NotFound},
		"notes": {hive.ErrNoTask, fault.NotFound}, "none": {hive.ErrNoTask, fault.NotFound},
	} {
		_, err := w.claim("ada", task)
		fails(t, err, want.cause, want.kind)
	}
	for _, lease := range []time.Duration{0, -time.Hour, time.Millisecond, 100 * 365 * 24 * time.Hour, 1<<63 - 1} {
		_, _, err := w.hive().Claim(as("ada"), "hull", lease, nil)
		fails(t, err, hive.ErrLease, fault.Invalid)
		_, _, err = w.hive().Renew(as("ada"), "hull", 1, lease, nil)
		fails(t, err, hive.ErrLease, fault.Invalid)
	}
	if _, err := w.claim("ada", "ours"); fault.KindOf(err) != fault.Denied {
		t.Errorf("a task where the agent may not write: %v", err)
	}
	_, err := w.hive().Done(as("ada"), "hull", 0, nil)
	fails(t, err, hive.ErrClaim, fault.Conflict)
	if now := w.m.View().Head().Seq; now != seq {
		t.Errorf("refused claims made commits %d to %d", seq+1, now)
	}
	for i, task := range []string{"far", "odd"} {
		if c, err := w.claim("ada", task); err != nil || c.Number != uint64(start.UnixMilli())+uint64(i) {
			t.Errorf("%s: %+v, %v", task, c, err)
		}
	}
	_, _, err = w.hive().Claim(t.Context(), "ours", time.Hour, nil)
	must(t, err)
	if _, err = w.hive().Done(t.Context(), "ours", 0, nil); err != nil || !strings.Contains(w.text("mine.org"), "* DONE Ours") {
		t.Errorf("the owner ends a task: %v\n%s", err, w.text("mine.org"))
	}
}

// TestFence: while a task is claimed, no other agent writes at or below it, and no write under an
// old number lands anywhere.
func TestFence(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks, "agents/ada/n.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n"})
	edit := func(ctx context.Context, id string) error {
		_, err := w.m.Notes().Edit(ctx, id, nil, document.AppendBody{Text: "more"})
		return err
	}
	must(t, edit(as("bob"), "notes"))
	c, err := w.claim("ada", "hull")
	must(t, err)
	for _, id := range []string{"hull", "notes"} {
		fails(t, edit(as("bob"), id), hive.ErrHeld, fault.Conflict)
		must(t, edit(as("ada"), id))
	}
	_, _, err = w.m.Notes().Insert(as("bob"), "notes", document.InsertHeadline{Title: "x"}, nil)
	fails(t, err, hive.ErrHeld, fault.Conflict)
	_, _, _, err = w.m.Notes().Remember(as("bob"), "notes", document.InsertHeadline{Title: "y"}, nil)
	fails(t, err, hive.ErrHeld, fault.Conflict)
	must(t, edit(as("bob"), "paint"))
	must(t, edit(t.Context(), "notes")) // the owner writes everywhere

	must(t, edit(under("ada", "hull", c.Number), "a"))
	fails(t, edit(under("ada", "hull", c.Number-1), "a"), hive.ErrClaim, fault.Conflict)
	fails(t, edit(under("ada", "none", 1), "a"), hive.ErrNoTask, fault.NotFound)
	remember := func(ctx context.Context, title string) error {
		_, _, _, err := w.m.Notes().Remember(ctx, "agents/ada/", document.InsertHeadline{Title: title}, nil)
		return err
	}
	must(t, remember(under("ada", "hull", c.Number), "one"))
	w.now = w.now.Add(time.Hour)
	must(t, edit(as("bob"), "notes"))
	fails(t, edit(under("ada", "hull", c.Number), "a"), hive.ErrClaim, fault.Conflict)
	fails(t, remember(under("ada", "hull", c.Number), "two"), hive.ErrClaim, fault.Conflict)
	fails(t, w.hive().Enter(under("ada", "hull", c.Number), scope.Action{Name: "edit"}), hive.ErrClaim, fault.Conflict)
	_, _, err = w.m.History().Rollback(under("ada", "hull", c.Number), "seq:1", &fovea.WriteOptions{})
	fails(t, err, hive.ErrClaim, fault.Conflict)
}

func TestAgents(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks, "agents/bob/n.org": "* B\n", "agents/not a name/n.org": "* N\n"})
	w.now = w.now.Add(time.Second)
	_, _, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: "s"}, nil)
	must(t, err)
	w.now = w.now.Add(time.Second)
	claim, err := w.claim("ada", "hull")
	must(t, err)
	for range 2 {
		got, err := w.hive().Agents(t.Context())
		want := []hive.Agent{
			{Name: "ada", Seen: start.Add(2 * time.Second), Session: "s-ada", Tasks: w.hive().Tasks(t.Context(), hive.Filter{Holder: "ada"})},
			{Name: "bob", Unread: 1},
		}
		for i := range got {
			got[i].Seen = got[i].Seen.UTC()
			if got[i].Seen.IsZero() {
				got[i].Seen = time.Time{}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("agents (-want +got), %v:\n%s", err, diff)
		}
		w.crash()
	}
	_, err = w.hive().Release(as("ada"), "hull", claim.Number, nil)
	must(t, err)
	got, err := w.hive().Agents(t.Context())
	if err != nil || len(got) != 2 || len(got[0].Tasks) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWhyNotInForce: a holder is not told that another one holds the task, and nobody that a lease
// has ended which has not; a task that will never be ready says which id is wrong.
func TestWhyNotInForce(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks + "* TODO Lost\n:PROPERTIES:\n:ID: lost\n:DEPENDS_ON: nothing\n:END:\n"})
	says := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	before := w.m.View().Head().Seq
	c, err := w.claim("ada", "hull")
	must(t, err)
	_, err = w.claim("ada", "hull")
	says(err, fmt.Sprintf("the task is claimed by ada, as you are called: under number %d until", c.Number))
	_, err = w.hive().Done(as("ada"), "hull", 0, nil)
	says(err, fmt.Sprintf("that claim is not in force: the task is claimed by ada, as you are called: under number %d", c.Number))
	_, err = w.hive().Done(as("bob"), "hull", c.Number, nil)
	says(err, "that claim is not in force: the task is claimed by another: ada, under number")
	w.now = w.now.Add(2 * time.Minute)
	_, err = w.hive().Done(as("ada"), "hull", c.Number, nil)
	says(err, "that claim is not in force: its lease has ended; claim the task again")
	_, err = w.hive().Done(as("bob"), "hull", c.Number, nil)
	says(err, "nobody holds the task; claim it")
	_, _, err = w.m.History().Rollback(t.Context(), fmt.Sprintf("seq:%d", before), &fovea.WriteOptions{})
	must(t, err)
	_, err = w.hive().Done(as("ada"), "hull", c.Number, nil)
	says(err, "nobody holds the task; claim it")
	_, err = w.claim("ada", "lost")
	says(err, "the task waits for others: nothing (there is no such note: correct DEPENDS_ON)")
}
