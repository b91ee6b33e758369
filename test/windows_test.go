// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/working"
)

// windows lists what the agent was given.
func (d *agentDesk) windows(req api.WindowsRequest) []api.RecordedWindow {
	d.t.Helper()
	all, err := api.OpWindows.Call(d.ctx, d.svc, req)
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// randomNotes is a file of notes, with what the renderers have to escape.
func randomNotes(r *rand.Rand, n int) string {
	words := strings.Fields("gauge pump harbour über naïve 水位 *bold* ~code~ [[id:n1][link]] `tick` <b> \\alpha {x} #+end_src , * - quay")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "* TODO [#A] Note %d %s :tag%d:\n", i, words[r.IntN(len(words))], i%3)
		if i%4 == 0 {
			fmt.Fprintf(&b, "DEADLINE: <2026-03-%02d Sun>\n:PROPERTIES:\n:ID: n%d-%d\n:END:\n", 1+i%28, i, r.IntN(1e9))
		}
		for range r.IntN(5) {
			for range r.IntN(30) {
				b.WriteString(words[r.IntN(len(words))] + " ")
			}
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// TestWindowsAreRenderedAgain proves that each window that an agent was given is rendered
// again byte for byte from history, whatever was edited since, in each policy, format and
// layout, after a restart too, and that what is kept has no text of a note.
func TestWindowsAreRenderedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	w := newWorld(t, map[string]string{
		"a.org": randomNotes(r, 30), "b.org": randomNotes(r, 20), "lib/login.go": "package login\n\nfunc Login() { zebra() }\n", "skills/s.org": "* Plan\nskill\n",
	})
	w.ingest()
	var given []string
	desks := []*agentDesk{w.desk("ada", "s"), w.desk("bob", "s"), w.desk("ada", "")}
	desks[0].add(working.Block{Type: working.File, Location: "lib/login.go"}, working.Block{Type: working.File, Location: "a.org", StartLine: 1, EndLine: 9},
		working.Block{Type: working.Task, TaskID: "T", Description: "mend the pump"})
	of := map[int]*agentDesk{}
	for i := range 40 {
		d := desks[r.IntN(len(desks))]
		req := api.ContextRequest{
			Question: []string{"", "gauge", "pump harbour", "水位"}[r.IntN(4)], Budget: 300 + r.IntN(3000),
			Policy: []string{"value", "shares", "foveal"}[r.IntN(3)], Format: []string{"org", "markdown", "json"}[r.IntN(3)],
		}
		if d != desks[2] && req.Policy == "value" {
			req.Layout = []string{"", "sticky"}[r.IntN(2)]
		}
		c, err := api.OpContext.Call(d.ctx, d.svc, req)
		if err != nil {
			t.Fatal(err)
		}
		of[len(given)], given = d, append(given, c.Text)
		if i%3 == 0 {
			w.write(map[string]string{[]string{"a.org", "b.org", "c.org"}[r.IntN(3)]: randomNotes(r, 10+r.IntN(20))})
			w.ingest()
		}
	}
	w.reopen()
	for i := range desks {
		desks[i].svc = ops.Guarded(api.NewLocal(w.m, &api.LocalOptions{Now: w.now}))
	}
	seen := 0
	for _, d := range desks {
		all := d.windows(api.WindowsRequest{Limit: 100})
		texts := []string{}
		for i, text := range given {
			if of[i] == d {
				texts = append(texts, text)
			}
		}
		if len(all) != len(texts) {
			t.Fatalf("%d of %d windows are listed", len(all), len(texts))
		}
		for i, text := range texts {
			id := fmt.Sprint(all[len(all)-1-i].ID)
			got := d.windows(api.WindowsRequest{ID: id})[0]
			if seen++; !got.Exact || got.Content != text {
				t.Errorf("window %s: exact %v, missing %v\ngot\n%s\nwant\n%s", id, got.Exact, got.Missing, got.Content, text)
			}
		}
	}
	if seen != len(given) {
		t.Errorf("%d windows, want %d", seen, len(given))
	}
	kept := w.windowNodes("session/s")
	for _, word := range []string{"harbour quay", "naïve", "zebra", "水位 gauge"} {
		if strings.Contains(kept, word) {
			t.Errorf("%q is kept", word)
		}
	}
}

// windowNodes is all that a session keeps of windows, but for what was asked.
func (w *world) windowNodes(session string) string {
	w.t.Helper()
	m, err := w.m.Scope(w.t.Context(), session)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for n := range m.View().All() {
		if _, number := working.WindowOf(n.Path); number > 0 {
			for _, a := range n.Attrs {
				b.WriteString(a.Value.String())
			}
		}
	}
	if b.Len() == 0 {
		w.t.Fatal("nothing is kept")
	}
	return b.String()
}

// TestWindowsOfAgents: each agent sees its own windows alone, the owner those of all, and
// windows, searches and moments have none of them.
func TestWindowsOfAgents(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\nThe pump hums.\n"})
	w.ingest()
	ada, bob := w.desk("ada", "s"), w.desk("bob", "s")
	before := bob.context(api.ContextRequest{Question: "pump"})
	ada.context(api.ContextRequest{Question: "pump zebra", Task: "mend it"})
	mine := ada.windows(api.WindowsRequest{})
	if len(mine) != 1 || mine[0].Question != "pump zebra" || mine[0].Task != "mend it" || mine[0].Content != "" || len(mine[0].Parts) == 0 {
		t.Fatalf("ada sees %+v", mine)
	}
	if _, err := api.OpWindows.Call(bob.ctx, bob.svc, api.WindowsRequest{ID: fmt.Sprint(mine[0].ID)}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("bob reads the window of ada: %v", err)
	}
	if _, err := api.OpWindows.Call(bob.ctx, bob.svc, api.WindowsRequest{Agent: "ada", ID: fmt.Sprint(mine[0].ID)}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("bob reads the window of ada: %v", err)
	}
	owner := author.WithScopes(author.WithGrant(t.Context(), api.Grant{Role: api.Owner}), api.Scopes{Session: "s"})
	if all, err := api.OpWindows.Call(owner, bob.svc, api.WindowsRequest{Agent: "ada"}); err != nil || len(all) != 1 {
		t.Errorf("the owner sees %v, %v", all, err)
	}
	for name, ctx := range map[string]context.Context{"ada": ada.ctx, "the owner": owner} {
		if n, err := api.OpShow.Call(ctx, ada.svc, api.ShowRequest{ID: working.WindowID(mine[0].ID)}); fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("%s is shown %+v, %v", name, n, err)
		}
		if hits, err := api.OpSearch.Call(ctx, ada.svc, api.SearchRequest{Text: "zebra"}); err != nil || len(hits) > 0 {
			t.Errorf("%s finds %v, %v", name, hits, err)
		}
		log, err := api.OpLog.Call(ctx, ada.svc, api.LogRequest{})
		if err != nil || len(log) != 1 || log[0].Kind != "ingest" {
			t.Errorf("%s: the log of a session of windows alone is %+v, %v", name, log, err)
		}
	}
	if after := bob.context(api.ContextRequest{Question: "pump"}); after.Text != before.Text || after.Root != before.Root {
		t.Errorf("windows changed a window:\n%s", after.Text)
	}
	if _, err := api.OpWindows.Call(owner, bob.svc, api.WindowsRequest{}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("without an agent: %v", err)
	}
}

// TestPurgedWindow: a window whose text was purged since is rendered without it, and says so.
func TestPurgedWindow(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Door\n:PROPERTIES:\n:ID: door\n:END:\nThe code is 4711-xyz.\n* Pump\nThe pump hums.\n"})
	w.ingest()
	ada := w.desk("ada", "s")
	given := ada.context(api.ContextRequest{Budget: 500})
	if !strings.Contains(given.Text, "4711-xyz") {
		t.Fatal(given.Text)
	}
	id := fmt.Sprint(ada.windows(api.WindowsRequest{})[0].ID)
	w.write(map[string]string{"a.org": "* Door\n:PROPERTIES:\n:ID: door\n:END:\nGone.\n* Pump\nThe pump hums.\n"})
	w.ingest()
	if got := ada.windows(api.WindowsRequest{ID: id})[0]; !got.Exact {
		t.Errorf("after an edit: %+v", got)
	}
	if _, _, err := w.m.Mending().Purge(t.Context(), nil, "4711-xyz", nil); err != nil {
		t.Fatal(err)
	}
	got := ada.windows(api.WindowsRequest{ID: id})[0]
	if got.Exact || strings.Contains(got.Content, "4711") || !strings.Contains(got.Content, "[…]") || !strings.Contains(got.Content, "The pump hums.") {
		t.Errorf("after the purge: %+v", got)
	}
	if len(got.Missing) != 1 || got.Missing[0].ID != "door" || !strings.Contains(got.Missing[0].Why, "purge") {
		t.Errorf("missing: %+v", got.Missing)
	}
}

// TestWindowsInBatches: windows are committed together, a while after the answers, without a
// sync; a close keeps what waits, and a session its newest thousand.
func TestWindowsInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := disks{faultfs.New(), faultfs.New()}
		open := func(off bool) (*fovea.Memory, api.Service) {
			m, err := fovea.Open(t.Context(), "/memex", &fovea.Options{Store: d.state, Folder: d.memex, OmitWindows: off})
			if err != nil {
				t.Fatal(err)
			}
			return m, api.NewLocal(m, nil)
		}
		d.write(t, map[string]string{"a.org": "* Pump\nThe pump hums.\n"})
		m, svc := open(false)
		ctx := author.WithScopes(author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent}), api.Scopes{Session: "s"})
		give := func(n int) {
			t.Helper()
			for range n {
				if _, err := api.OpContext.Call(ctx, svc, api.ContextRequest{Fresh: true, Budget: 200, Counter: "estimate"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		seq := func() uint64 {
			s, err := m.Scope(t.Context(), "session/s")
			if err != nil {
				t.Fatal(err)
			}
			return s.View().Head().Seq
		}
		give(2)
		if names, _ := m.Scopes(); len(names) > 0 {
			t.Errorf("before the time there is %v", names)
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		if got := seq(); got != 1 {
			t.Errorf("two windows make commit %d", got)
		}
		syncs := countSyncs(d.state)
		give(3)
		<-time.After(2 * time.Second)
		synctest.Wait()
		if got := seq(); got != 2 || syncs.Load() != 0 {
			t.Errorf("three more make commit %d with %d syncs", got, syncs.Load())
		}
		give(1005)
		if got := seq(); got < 5 {
			t.Errorf("a full queue waits: commit %d", got)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		m, svc = open(true)
		give(1)
		all, err := api.OpWindows.Call(ctx, svc, api.WindowsRequest{Limit: 5000})
		if err != nil || len(all) != 1000 || all[0].ID != 1010 || all[999].ID != 11 {
			t.Errorf("%d windows are kept, %v", len(all), err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// BenchmarkRecordedWindow times warm windows of 100,000 tokens for an agent, recorded and not
// in turn, and what the commit of a recorded one takes behind the answer.
func BenchmarkRecordedWindow(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%d.org", i)] = randomNotes(r, 50)
	}
	ctx := author.WithGrant(b.Context(), api.Grant{Agent: "ada", Role: api.Agent})
	var give []func() time.Duration
	for _, off := range []bool{true, false} {
		d := disks{faultfs.New(), faultfs.New()}
		d.write(b, files)
		m, err := fovea.Open(b.Context(), "/memex", &fovea.Options{Store: d.state, Folder: d.memex, OmitWindows: off})
		if err != nil {
			b.Fatal(err)
		}
		defer m.Close()
		svc := api.NewLocal(m, &api.LocalOptions{Sync: func(context.Context) error { return nil }})
		if err := m.Ingest(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		give = append(give, func() time.Duration {
			start := time.Now()
			c, err := api.OpContext.Call(ctx, svc, api.ContextRequest{Question: "gauge harbour", Budget: 100_000})
			took := time.Since(start)
			if err != nil || c.Tokens < 90_000 {
				b.Fatal(err)
			}
			fovea.WindowsOf(m).Flush(b.Context())
			return took
		})
	}
	var took [2][]time.Duration
	var behind []time.Duration
	for i := 0; b.Loop(); i++ {
		for _, at := range [2]int{i % 2, 1 - i%2} {
			start := time.Now()
			took[at] = append(took[at], give[at]())
			if at == 1 {
				behind = append(behind, time.Since(start)-took[at][len(took[at])-1])
			}
		}
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2]) / 1e6
	}
	b.ReportMetric(median(took[0]), "off-ms")
	b.ReportMetric(median(took[1]), "on-ms")
	b.ReportMetric(median(behind), "behind-ms")
}

// countSyncs counts the syncs of files.
func countSyncs(in *faultfs.FS) *atomic.Int64 {
	n := new(atomic.Int64)
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSync {
			n.Add(1)
		}
		return nil
	})
	return n
}
