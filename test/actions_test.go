// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// acting is a desk whose actions leave blocks.
func (w *world) acting(agent, session string) *agentDesk {
	d := w.desk(agent, session)
	d.svc = ops.Guarded(api.NewLocal(w.m, &api.LocalOptions{Now: func() time.Time { return w.clock }, Did: ops.RecordAction}))
	return d
}

// do calls an operation.
func do[Q, A any](d *agentDesk, op api.Op[Q, A], req Q) A {
	d.t.Helper()
	a, err := op.Call(d.ctx, d.svc, req)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// did lists the automatic blocks of an agent, each on a line.
func (d *agentDesk) did() []string {
	d.t.Helper()
	var out []string
	for _, b := range do(d, api.OpBlocks, api.BlocksRequest{}) {
		if b.Automatic {
			out = append(out, fmt.Sprintf("%s %s %s", b.Type, b.Priority, strings.ReplaceAll(cmp.Or(b.Content(), b.Location), "\n", ": ")))
		}
	}
	slices.Sort(out)
	return out
}

// TestActionsLeaveBlocks proves that each thing which an agent does through Fovea leaves its
// block, that a file's has the digest of what was read, that notes are named by their titles,
// and that what trust looks up leaves none.
func TestActionsLeaveBlocks(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org":            "* Pump\nThe pump hums secretly.\n",
		"agents/ada/x.org": "* TODO Mend it\n:PROPERTIES:\n:ID: mend\n:END:\n",
		"skills/go.md":     "# Go\nrun the tests\n",
	})
	w.ingest()
	ada := w.acting("ada", "s")
	do(ada, api.OpShow, api.ShowRequest{ID: "Pump"})
	do(ada, api.OpShow, api.ShowRequest{ID: "skills/go.md"})
	do(ada, api.OpSearch, api.SearchRequest{Text: "hums"})
	do(ada, api.OpQuery, api.QueryRequest{Query: "todo:TODO"})
	do(ada, api.OpRemember, api.RememberRequest{Title: "Valve open", Body: "hidden words"})
	todo := "DONE"
	do(ada, api.OpEdit, api.EditRequest{ID: "mend", Todo: &todo})
	do(ada, api.OpLog, api.LogRequest{})
	do(ada, ops.OpMessageSend, ops.MessageSendRequest{To: "owner", Subject: "hello", Body: "hidden words"})
	do(ada, api.OpContext, api.ContextRequest{Question: "pump"})
	do(ada, api.OpStatus, api.StatusRequest{})
	got := ada.did()
	want := []string{
		"file high skills/go.md", "history low edit Mend it: agents/ada/x.org", "history low log", "history low message-send hello",
		"history low query todo:TODO: 1 found: Mend it", "history low read Pump", "history low remember Valve open: agents/ada/2026-11.org",
		"history low search hums: 1 found: Pump",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, b := range do(ada, api.OpBlocks, api.BlocksRequest{}) {
		if b.Type == working.File && b.Digest != merkle.SumText("# Go\nrun the tests\n").String() {
			t.Errorf("the digest of the file is %s", b.Digest)
		}
	}
	if bob := w.acting("bob", "s").did(); len(bob) > 0 {
		t.Errorf("bob did %v", bob)
	}
}

// TestActionsAndTheSession: a session that holds nothing but what was recorded is none to the
// log, an agent's own block stays as the agent made it, and blocks are bounded in number and
// leave after an hour; history keeps them, and one commit is taken back exactly.
func TestActionsAndTheSession(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\nThe pump hums.\n", "skills/go.md": "# Go\n"})
	w.ingest()
	ada := w.acting("ada", "s")
	memex := len(do(ada, api.OpLog, api.LogRequest{}))
	do(ada, api.OpSearch, api.SearchRequest{Text: "pump"})
	do(ada, api.OpContext, api.ContextRequest{})
	ada.did() // which commits them
	if got := len(do(ada, api.OpLog, api.LogRequest{})); got != memex {
		t.Errorf("log lists %d commits, want %d", got, memex)
	}
	for i := range 50 {
		do(ada, api.OpSearch, api.SearchRequest{Text: fmt.Sprint("pump ", i)})
	}
	if got := ada.did(); len(got) != 32 || !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "pump 49") }) {
		t.Errorf("%d are kept: %v", len(got), got)
	}
	w.clock = w.clock.Add(2 * time.Hour)
	if got := ada.did(); len(got) != 0 {
		t.Errorf("after two hours there is %v", got)
	}
	ada.add(working.Block{Type: working.File, Location: "skills/go.md", Priority: working.Low})
	do(ada, api.OpShow, api.ShowRequest{ID: "skills/go.md"})
	if got := ada.did(); len(got) != 0 {
		t.Errorf("the agent's own block became %v", got)
	}
	if got := len(do(ada, api.OpLog, api.LogRequest{})); got == memex {
		t.Error("a session with a block of an agent is still none to the log")
	}
}

// TestProposedActions: a change that is only proposed leaves the block of the proposal alone, and
// neither the memex nor the working memory says that it was made.
func TestProposedActions(t *testing.T) {
	w := newWorld(t, map[string]string{"agents/ada/x.org": "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\n** Below\n"})
	w.ingest()
	ada := w.acting("ada", "s")
	ada.ctx = author.WithGrant(ada.ctx, api.Grant{Agent: "ada", Role: api.Agent, Review: []string{"/"}})
	before := w.m.View().Head()
	do(ada, api.OpForget, api.MoveRequest{ID: "mine"})
	do(ada, api.OpRemember, api.RememberRequest{Title: "Below it", Under: "mine"})
	if _, err := api.OpArchive.Call(ada.ctx, ada.svc, api.MoveRequest{ID: "agents/ada/x.org"}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a file that is to be archived: %v", err)
	}
	for _, did := range ada.did() {
		if !strings.HasPrefix(did, "history low propose") {
			t.Errorf("did %q", did)
		}
	}
	if head := w.m.View().Head(); head.Seq != before.Seq {
		t.Errorf("a trial made commit %d", head.Seq)
	}
}

// TestPurgedAction: what waits when text is purged is dropped, and a block that was kept is
// purged like any node.
func TestPurgedAction(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\nThe code is 4711-secret.\n"})
	w.ingest()
	ada := w.acting("ada", "s")
	do(ada, api.OpSearch, api.SearchRequest{Text: "4711-secret"})
	if got := ada.did(); len(got) != 1 {
		t.Fatal(got)
	}
	ids := ada.ids()
	do(ada, api.OpBlockRemove, api.BlockRemoveRequest{IDs: ids})
	owner := author.WithScopes(author.WithGrant(t.Context(), api.Grant{Role: api.Owner}), api.Scopes{Session: "s"})
	do(ada, api.OpSearch, api.SearchRequest{Text: "4711-secret"})
	if _, err := api.OpPurge.Call(owner, ada.svc, api.PurgeRequest{Text: "4711-secret"}); err != nil {
		t.Fatal(err)
	}
	if got := ada.did(); len(got) != 0 {
		t.Errorf("after the purge there is %v", got)
	}
}

// TestActionsInBatches: actions are committed together with windows, a while after the answers
// and without a sync, the same again is not written again, and an option ends it.
func TestActionsInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := disks{faultfs.New(), faultfs.New()}
		d.write(t, map[string]string{"a.org": "* Pump\nThe pump hums.\n"})
		ctx := author.WithScopes(author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent}), api.Scopes{Session: "s"})
		for _, off := range []bool{false, true} {
			m, err := fovea.Open(t.Context(), "/memex", &fovea.Options{Store: d.state, Folder: d.memex, OmitWindows: true, OmitActions: off})
			if err != nil {
				t.Fatal(err)
			}
			svc := api.NewLocal(m, &api.LocalOptions{Did: ops.RecordAction})
			search := func(text string) {
				t.Helper()
				if _, err := api.OpSearch.Call(ctx, svc, api.SearchRequest{Text: text}); err != nil {
					t.Fatal(err)
				}
				<-time.After(2 * time.Second)
				synctest.Wait()
			}
			seq := func() uint64 {
				s, err := m.Scope(t.Context(), "session/s")
				if err != nil {
					t.Fatal(err)
				}
				return s.View().Head().Seq
			}
			search("pump")
			syncs := countSyncs(d.state)
			search("hums")
			search("hums")
			if got := seq(); got != 2 || syncs.Load() != 0 {
				t.Errorf("with off %v there are %d commits, %d syncs", off, got, syncs.Load())
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkRecordedAction times searches of an agent, whose actions leave blocks and leave none
// in turn, and what the commit of a block takes behind the answer.
func BenchmarkRecordedAction(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%d.org", i)] = randomNotes(r, 50)
	}
	ctx := author.WithGrant(b.Context(), api.Grant{Agent: "ada", Role: api.Agent})
	var ms [2]*fovea.Memory
	var svcs [2]api.Service
	for i := range ms {
		d := disks{faultfs.New(), faultfs.New()}
		d.write(b, files)
		m, err := fovea.Open(b.Context(), "/memex", &fovea.Options{Store: d.state, Folder: d.memex, OmitActions: i == 0})
		if err != nil {
			b.Fatal(err)
		}
		defer m.Close()
		if err := m.Ingest(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		ms[i] = m
		svcs[i] = api.NewLocal(m, &api.LocalOptions{Sync: func(context.Context) error { return nil }, Did: ops.RecordAction})
	}
	var took, behind [2][]time.Duration
	for i := 0; b.Loop(); i++ {
		for _, at := range [2]int{i % 2, 1 - i%2} {
			start := time.Now()
			if _, err := api.OpSearch.Call(ctx, svcs[at], api.SearchRequest{Text: fmt.Sprint("gauge harbour ", i)}); err != nil {
				b.Fatal(err)
			}
			took[at] = append(took[at], time.Since(start))
			start = time.Now()
			fovea.WindowsOf(ms[at]).Flush(b.Context())
			behind[at] = append(behind[at], time.Since(start))
		}
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2]) / 1e6
	}
	b.ReportMetric(median(took[0]), "off-ms")
	b.ReportMetric(median(took[1]), "on-ms")
	b.ReportMetric(median(behind[1]), "behind-ms")
}
