// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/working"
)

// things are what the chats are about.
var things = strings.Fields(`ladder kettle lantern compass trowel anvil bellows chisel sickle bobbin thimble spindle mallet pulley winch
	rudder tiller anchor hammock barrel funnel ladle skillet colander grater whisk teapot saucer candle bucket shovel broom ratchet
	pliers gimlet plumbline spanner hacksaw wheelbarrow tarpaulin scaffold gutter shingle rafter`)

// chats are files in which Ann asks where each thing is, Bob answers without the word, and
// somebody says something with it.
func chats() map[string]string {
	var b strings.Builder
	for i, thing := range things {
		fmt.Fprintf(&b, "* Ann\n:PROPERTIES:\n:ID: ask%d\n:END:\nWhere do we keep the %s now?\n", i, thing)
		fmt.Fprintf(&b, "* Bob\n:PROPERTIES:\n:ID: answer%d\n:END:\nOn shelf %d, behind door number %d.\n", i, i, i*7)
		fmt.Fprintf(&b, "* Ann\n:PROPERTIES:\n:ID: other%d\n:END:\nFine. I found that old picture of a %s again, keep it.\n", i, thing)
	}
	return map[string]string{
		"chats/all.org": b.String(), "diary/d.org": "* Monday\n:PROPERTIES:\n:ID: monday\n:END:\nWhere do we keep the ladder now? Ask Bob.\n* Tuesday\nrain\n",
	}
}

func questionAbout(i int) string { return "Where do we keep the " + things[i] + "?" }

// ownersDesk is the owner over the service that the world serves.
func (w *world) ownersDesk() *agentDesk {
	return &agentDesk{w, w.t.Context(), api.NewLocal(w.m, &api.LocalOptions{Now: w.now})}
}

func (d *agentDesk) say(req api.UsefulRequest) *api.UsefulResponse {
	d.t.Helper()
	g, err := api.OpFeedback.Call(d.ctx, d.svc, req)
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

// taught says of some questions that Bob's answers were useful.
func (d *agentDesk) taught(from, to int) (last *api.UsefulResponse) {
	d.t.Helper()
	for i := from; i < to; i++ {
		last = d.say(api.UsefulRequest{Question: questionAbout(i), Useful: []string{fmt.Sprintf("answer%d", i)}})
	}
	return last
}

// rankings are what searches and windows give for all questions, with all scores.
func (d *agentDesk) rankings() (all [][]string) {
	d.t.Helper()
	for i := range things {
		hits, err := api.OpSearch.Call(d.ctx, d.svc, api.SearchRequest{Text: questionAbout(i), Explain: true})
		if err != nil {
			d.t.Fatal(err)
		}
		var list []string
		for _, h := range hits {
			list = append(list, fmt.Sprintf("%s %v %v", h.ID, h.Score, h.Scores))
		}
		c, err := api.OpContext.Call(d.ctx, d.svc, api.ContextRequest{Question: questionAbout(i), Budget: 300})
		if err != nil {
			d.t.Fatal(err)
		}
		all = append(all, append(list, c.Text))
	}
	return all
}

// ranks is the mean place of Bob's answers, for the questions from a number on.
func (d *agentDesk) ranks(from int) float64 {
	d.t.Helper()
	sum := 0
	for i := from; i < len(things); i++ {
		hits, err := api.OpSearch.Call(d.ctx, d.svc, api.SearchRequest{Text: questionAbout(i), Limit: 100})
		if err != nil {
			d.t.Fatal(err)
		}
		sum += 1 + slices.IndexFunc(hits, func(h api.Hit) bool { return h.ID == fmt.Sprintf("answer%d", i) })
	}
	return float64(sum) / float64(len(things)-from)
}

func (d *agentDesk) feedbackStatus() *api.LearnedStatus {
	d.t.Helper()
	s, err := api.OpFeedbackStatus.Call(d.ctx, d.svc, api.None{})
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// takeBack takes a commit of the session of feedback back.
func (d *agentDesk) takeBack(seq uint64) error {
	ctx := author.WithScopes(d.ctx, api.Scopes{Session: "feedback"})
	_, err := api.OpRevert.Call(ctx, d.svc, api.RevertRequest{Commits: []string{fmt.Sprint(seq)}})
	return err
}

// TestFeedback: what was learned ranks from when it has helped with questions held back, and
// raises what is useful for questions about which nothing was said; search says what it gave.
// Taking feedback back gives the ranking from before, with every score and byte, and so does a
// reset; a restart changes nothing.
func TestFeedback(t *testing.T) {
	w := newWorld(t, chats())
	w.ingest()
	d := w.ownersDesk()
	untaught, before := d.rankings(), d.ranks(36)
	d.taught(0, 6)
	if s := d.feedbackStatus(); s.On || s.Entries != 6 || len(s.Regions) == 0 || s.Regions[0].Why == "" {
		t.Errorf("after six questions: %+v", s)
	}
	if diff := cmp.Diff(untaught, d.rankings()); diff != "" {
		t.Errorf("what has not proven to help ranks: %s", diff)
	}
	d.taught(6, 35)
	taught := d.rankings()
	last := d.say(api.UsefulRequest{Question: questionAbout(35), Not: []string{"answer35"}, Useful: []string{"other35"}})
	s := d.feedbackStatus()
	if !last.On || !s.On || s.Regions[0].Folder != "chats" || !s.Regions[0].On || s.Regions[0].Weights["follows"] <= 0 {
		t.Fatalf("after 36 questions: %+v", s)
	}
	if after := d.ranks(36); after >= before {
		t.Errorf("answers rank at %.2f, before %.2f", after, before)
	}
	hits, err := api.OpSearch.Call(d.ctx, d.svc, api.SearchRequest{Text: questionAbout(40), Explain: true})
	if err != nil || !slices.ContainsFunc(hits, func(h api.Hit) bool { return h.Scores["learned"] > 0 && slices.Contains(h.Arms, "learned") }) {
		t.Errorf("no hit says what was learned: %+v, %v", hits, err)
	}
	if err := d.takeBack(last.Seq); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(taught, d.rankings()); diff != "" {
		t.Errorf("after the last feedback was taken back: %s", diff)
	}
	w.reopen()
	d = w.ownersDesk()
	if diff := cmp.Diff(taught, d.rankings()); diff != "" {
		t.Errorf("after a restart: %s", diff)
	}
	forgot, err := api.OpFeedbackReset.Call(d.ctx, d.svc, api.None{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(untaught, d.rankings()); diff != "" || d.feedbackStatus().Entries != 0 {
		t.Errorf("after a reset: %s", diff)
	}
	if err := d.takeBack(forgot.Seq); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(taught, d.rankings()); diff != "" {
		t.Errorf("after the reset was taken back: %s", diff)
	}
}

// TestFeedbackAsksNoDisk: a search with feedback does not list the folder of the scopes.
func TestFeedbackAsksNoDisk(t *testing.T) {
	disk := faultfs.New()
	w := &world{t: t, dir: t.TempDir(), store: disk, clock: time.Now().Add(time.Hour)}
	w.write(chats())
	w.open()
	defer w.m.Close()
	w.ingest()
	d := w.ownersDesk()
	d.taught(0, 1)
	disk.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpReadDir && op.Name == scope.Folder {
			t.Error("a search lists the scopes")
		}
		return nil
	})
	if _, err := api.OpSearch.Call(d.ctx, d.svc, api.SearchRequest{Text: questionAbout(0)}); err != nil {
		t.Error(err)
	}
	disk.OnOp(nil)
}

// TestFeedbackIsAboutWhatWasShown: an agent says something about its own windows alone, the
// owner about those and about searches; anything else is refused by name, and nothing is said.
func TestFeedbackIsAboutWhatWasShown(t *testing.T) {
	w := newWorld(t, chats())
	w.ingest()
	ada, bob, owner := w.desk("ada", "s"), w.desk("bob", "s"), w.ownersDesk()
	refused := func(d *agentDesk, req api.UsefulRequest, kind fovea.Kind, cause error) {
		t.Helper()
		_, err := api.OpFeedback.Call(d.ctx, d.svc, req)
		if fovea.KindOf(err) != kind || cause != nil && !errors.Is(err, cause) {
			t.Errorf("%+v: got %v, want %v", req, err, cause)
		}
	}
	refused(ada, api.UsefulRequest{Useful: []string{"answer3"}}, fovea.NotFound, minds.ErrNoWindow)
	c, err := api.OpContext.Call(ada.ctx, ada.svc, api.ContextRequest{Question: questionAbout(3), Budget: 250})
	if err != nil {
		t.Fatal(err)
	}
	var cited, notShown string
	for _, p := range c.Parts {
		if p.ID == "answer3" {
			n, _ := w.m.View().Get(p.ID)
			cited = w.m.View().Handle(n)
		}
	}
	for i := range things {
		id := fmt.Sprintf("other%d", i)
		if !slices.ContainsFunc(c.Parts, func(p api.Part) bool { return p.ID == id }) {
			notShown = id
		}
	}
	if cited == "" || notShown == "" {
		t.Fatalf("the window has no answer, or everything: %+v", c.Parts)
	}
	refused(ada, api.UsefulRequest{Useful: []string{notShown}}, fovea.Invalid, minds.ErrNeverShown)
	refused(ada, api.UsefulRequest{Not: []string{notShown}}, fovea.Invalid, minds.ErrNeverShown)
	refused(ada, api.UsefulRequest{Useful: []string{"no such note"}}, fovea.NotFound, nil)
	refused(ada, api.UsefulRequest{}, fovea.Invalid, minds.ErrNothing)
	refused(ada, api.UsefulRequest{Cites: "Nobody knows."}, fovea.Invalid, minds.ErrNotCited)
	refused(ada, api.UsefulRequest{Useful: []string{"answer3"}, Not: []string{"answer3"}}, fovea.Invalid, nil)
	refused(ada, api.UsefulRequest{Useful: []string{"answer3"}, Window: 99}, fovea.NotFound, minds.ErrNoWindow)
	refused(ada, api.UsefulRequest{Useful: []string{"answer3"}, Question: "another one"}, fovea.NotFound, minds.ErrNoWindow)
	refused(bob, api.UsefulRequest{Useful: []string{"answer3"}}, fovea.NotFound, minds.ErrNoWindow)
	refused(owner, api.UsefulRequest{Useful: []string{"answer3"}}, fovea.Invalid, nil)
	refused(owner, api.UsefulRequest{Useful: []string{"other3"}, Question: "rain"}, fovea.Invalid, minds.ErrNeverShown)
	if s := owner.feedbackStatus(); s.Entries != 0 {
		t.Errorf("what was refused is kept: %+v", s)
	}
	g := ada.say(api.UsefulRequest{Cites: "It is on shelf 3 (" + cited + "); quaint, quill."})
	if g.Useful != 1 || g.Unsaid == 0 || g.Seq == 0 {
		t.Errorf("of the answer that cites %s: %+v", cited, g)
	}
	if _, err := api.OpContext.Call(ada.ctx, ada.svc, api.ContextRequest{Budget: 250}); err != nil { // as a hook asks when a session starts
		t.Fatal(err)
	}
	if g := ada.say(api.UsefulRequest{Cites: "Shelf 3 (" + cited + ")."}); g.Useful != 1 {
		t.Errorf("after a window that was asked nothing, feedback is about the one before: %+v", g)
	}
	again := ada.say(api.UsefulRequest{Useful: []string{cited}, Question: questionAbout(3)})
	owner.ctx = author.WithScopes(owner.ctx, api.Scopes{Session: "s"})
	owner.say(api.UsefulRequest{Agent: "ada", Useful: []string{"answer3"}})
	if s := owner.feedbackStatus(); again.Useful != 1 || s.Entries != 2 || s.Owner != 1 {
		t.Errorf("feedback on one question by one agent counts twice: %+v", s)
	}
	if _, err := api.OpFeedbackReset.Call(ada.ctx, ada.svc, api.None{}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("an agent forgets the feedback of all: %v", err)
	}
}

// TestFeedbackOfOneAgentIsBounded: an agent gives so much a day, and no more; the owner may.
func TestFeedbackOfOneAgentIsBounded(t *testing.T) {
	w := newWorld(t, chats())
	w.ingest()
	log := fovea.WindowsOf(w.m).Feedback()
	w.clock = time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	at := w.clock
	ctx := fovea.WithActor(w.t.Context(), author.Actor{Author: author.Named("ada"), May: func(string) error { return nil }})
	add := func(ctx context.Context, by string, i int) error {
		w.clock = at
		e := minds.Entry{By: by}
		e.Question[1], e.Question[2] = byte(i), byte(i>>8)
		_, err := log.Add(ctx, e, nil)
		return err
	}
	for i := range minds.MaxOfDay { // those that replace one count, too
		if err := add(ctx, "ada", i/3); err != nil {
			t.Fatal(err)
		}
	}
	if err := add(ctx, "ada", 0); !errors.Is(err, minds.ErrTooMany) {
		t.Errorf("one more about the same question: %v", err)
	}
	if err := add(ctx, "ada", minds.MaxOfDay); !errors.Is(err, minds.ErrTooMany) || fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("one more: %v", err)
	}
	if err := add(t.Context(), minds.Owner, 0); err != nil {
		t.Errorf("the owner: %v", err)
	}
	at = at.Add(24 * time.Hour)
	if err := add(ctx, "ada", minds.MaxOfDay); err != nil {
		t.Errorf("on the next day: %v", err)
	}
}

// TestFeedbackAboutBlocks: a window shows blocks, too. Feedback on one is about what was shown, by
// id and by handle, and teaches nothing.
func TestFeedbackAboutBlocks(t *testing.T) {
	w := newWorld(t, chats())
	w.ingest()
	ada := w.desk("ada", "")
	ada.add(working.Block{Type: working.Context, ID: "plan", Summary: "Keep the kettle on shelf 2."})
	given := ada.context(api.ContextRequest{Question: "kettle", Budget: 300})
	handle := regexp.MustCompile(`(?m)^\* (\w+) Context`).FindStringSubmatch(given.Text)
	if handle == nil {
		t.Fatal(given.Text)
	}
	for _, req := range []api.UsefulRequest{
		{Useful: []string{working.NodeID("ada", "plan")}}, {Useful: handle[1:]}, {Cites: "It is on shelf 2 [" + handle[1] + "]."},
	} {
		if got := ada.say(req); got.Seq != 0 || got.Useful != 0 {
			t.Errorf("%+v: %+v", req, got)
		}
	}
}
