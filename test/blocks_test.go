// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// agentDesk is an agent in a session, over the service that the world serves.
type agentDesk struct {
	*world
	ctx context.Context
	svc api.Service
}

// desk is the working memory of an agent in a session, "" for that of its own name.
func (w *world) desk(agent, session string) *agentDesk {
	ctx := author.WithGrant(w.t.Context(), api.Grant{Agent: agent, Role: api.Agent})
	ctx = author.WithScopes(ctx, api.Scopes{Session: session})
	return &agentDesk{w, ctx, ops.Guarded(api.NewLocal(w.m, &api.LocalOptions{Now: w.now}))}
}

func (d *agentDesk) add(blocks ...working.Block) *api.BlockAddResponse {
	d.t.Helper()
	r, err := api.OpBlockAdd.Call(d.ctx, d.svc, api.BlockAddRequest{Blocks: blocks})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, b := range r.Blocks {
		if b.Error != "" {
			d.t.Fatal(b.Error)
		}
	}
	return r
}

func (d *agentDesk) ids() []string {
	d.t.Helper()
	all, err := api.OpBlocks.Call(d.ctx, d.svc, api.BlocksRequest{})
	if err != nil {
		d.t.Fatal(err)
	}
	ids := []string{}
	for _, b := range all {
		ids = append(ids, b.ID)
	}
	return ids
}

func (d *agentDesk) context(req api.ContextRequest) *api.ContextResponse {
	d.t.Helper()
	req.Fresh = true
	w, err := api.OpContext.Call(d.ctx, d.svc, req)
	if err != nil {
		d.t.Fatal(err)
	}
	return w
}

// TestBlocksOfAgents proves that each agent has working memory of its own, in each session,
// and that nobody else sees it in any reading operation.
func TestBlocksOfAgents(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\nThe pump hums.\n"})
	w.ingest()
	ada, bob := w.desk("ada", "s"), w.desk("bob", "s")
	ada.add(working.Block{Type: working.Task, TaskID: "T", Description: "zebra crossing", Priority: working.Critical})
	bob.add(working.Block{Type: working.Task, TaskID: "T", Description: "giraffe house"})
	if got := ada.context(api.ContextRequest{}).Text; !strings.Contains(got, "zebra") || strings.Contains(got, "giraffe") {
		t.Errorf("ada sees\n%s", got)
	}
	for _, p := range ada.context(api.ContextRequest{Explain: true}).Parts {
		if at := map[string]int{"a.org": 1}[p.Path]; p.Line != at {
			t.Errorf("%s begins at line %d, want %d", p.Path, p.Line, at)
		}
	}
	if got := bob.context(api.ContextRequest{Question: "zebra"}).Text; strings.Contains(got, "zebra") || !strings.Contains(got, "giraffe") {
		t.Errorf("bob sees\n%s", got)
	}
	if got := w.desk("ada", "other").ids(); len(got) != 0 {
		t.Errorf("another session of ada has %v", got)
	}
	owner := author.WithScopes(author.WithGrant(t.Context(), api.Grant{Role: api.Owner}), api.Scopes{Session: "s"})
	for name, ctx := range map[string]context.Context{"bob": bob.ctx, "the owner": owner} {
		hits, err := api.OpSearch.Call(ctx, bob.svc, api.SearchRequest{Text: "zebra"})
		if err != nil || len(hits) > 0 {
			t.Errorf("%s finds %v, %v", name, hits, err)
		}
		if found, err := api.OpQuery.Call(ctx, bob.svc, api.QueryRequest{Query: "zebra"}); err != nil || len(found) > 0 {
			t.Errorf("%s finds %v, %v", name, found, err)
		}
		if n, err := api.OpShow.Call(ctx, bob.svc, api.ShowRequest{ID: working.NodeID("ada", "task:T")}); fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("%s is shown %+v, %v", name, n, err)
		}
	}
	if hits, err := api.OpSearch.Call(ada.ctx, ada.svc, api.SearchRequest{Text: "zebra"}); err != nil || len(hits) != 1 {
		t.Errorf("ada finds %v, %v", hits, err)
	}
	own, err := api.OpShow.Call(ada.ctx, ada.svc, api.ShowRequest{ID: working.NodeID("ada", "task:T")})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"head", "seq:1", own.Digest} {
		n, err := api.OpShow.Call(bob.ctx, bob.svc, api.ShowRequest{ID: working.NodeID("ada", "task:T"), At: at})
		if fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("at %s bob is shown %+v, %v", at, n, err)
		}
	}
	ada.add(working.Block{Type: working.Task, TaskID: "T", Description: "zebra stripes"})
	d, err := api.OpDiff.Call(bob.ctx, bob.svc, api.DiffRequest{From: "seq:1", To: "head", Text: true})
	if text, _ := json.Marshal(d); err != nil || strings.Contains(string(text), "zebra") {
		t.Errorf("the difference tells bob %s, %v", text, err)
	}
	log, err := api.OpLog.Call(bob.ctx, bob.svc, api.LogRequest{})
	if text, _ := json.Marshal(log); err != nil || strings.Contains(string(text), "zebra") {
		t.Errorf("the log tells bob %s, %v", text, err)
	}
}

// TestForgedBlock proves that no tree becomes a block of another agent.
func TestForgedBlock(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\n"})
	w.ingest()
	tree := fmt.Sprintf(`{"type": "memory-block", "scope": "session/s", "properties": {"ID": %q, "BLOCK": "{}"}}`, working.NodeID("ada", "task:T"))
	for _, role := range []api.Role{api.Owner, api.Agent} {
		ctx := author.WithGrant(t.Context(), api.Grant{Agent: "bob", Role: role, Operations: []string{"ingest-tree"}})
		_, err := api.OpIngestTree.Call(ctx, ops.Guarded(w.serve()), api.IngestTreeRequest{AST: json.RawMessage(tree)})
		if fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("as %s: got %v", role, err)
		}
	}
}

// TestBlocksInHistory proves that blocks survive a restart, that one with the id of another
// replaces it, and that each call is taken back exactly.
func TestBlocksInHistory(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\n"})
	w.ingest()
	ada := w.desk("ada", "s")
	ada.add(working.Block{Type: working.Task, TaskID: "T", Description: "one"}, working.Block{Type: working.Context, ID: "c", Summary: "kept"})
	second := ada.add(working.Block{Type: working.Task, TaskID: "T", Description: "two"})
	if got := ada.ids(); !slices.Equal(got, []string{"c", "task:T"}) {
		t.Fatalf("there are %v", got)
	}
	w.reopen()
	ada = w.desk("ada", "s")
	if text := ada.context(api.ContextRequest{}).Text; !strings.Contains(text, "two") || !strings.Contains(text, "kept") {
		t.Fatalf("after a restart:\n%s", text)
	}
	if _, err := api.OpRevert.Call(ada.ctx, ada.svc, api.RevertRequest{Commits: []string{fmt.Sprintf("seq:%d", second.Seq)}}); err != nil {
		t.Fatal(err)
	}
	if text := ada.context(api.ContextRequest{}).Text; !strings.Contains(text, "one") || strings.Contains(text, "two") {
		t.Fatalf("after the revert:\n%s", text)
	}
	gone, err := api.OpBlockRemove.Call(ada.ctx, ada.svc, api.BlockRemoveRequest{IDs: []string{"task:T"}})
	if err != nil || gone.Seq == 0 || !slices.Equal(ada.ids(), []string{"c"}) {
		t.Fatalf("removed: %+v, %v; there are %v", gone, err, ada.ids())
	}
	if _, err = api.OpBlockRemove.Call(ada.ctx, ada.svc, api.BlockRemoveRequest{IDs: []string{"c", "nope"}}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("removing an unknown block: %v", err)
	}
	if !slices.Equal(ada.ids(), []string{"c"}) {
		t.Errorf("a refused removal removed something: %v", ada.ids())
	}
	if _, err := api.OpBlockScore.Call(ada.ctx, ada.svc, api.BlockScoreRequest{ID: "c", Confidence: new(0.25)}); err != nil {
		t.Fatal(err)
	}
	all, err := api.OpBlocks.Call(ada.ctx, ada.svc, api.BlocksRequest{})
	if err != nil || *all[0].Confidence != 0.25 {
		t.Errorf("got %+v, %v", all, err)
	}
	for _, bad := range []api.BlockScoreRequest{{ID: "c", Confidence: new(7.0)}, {ID: "c"}, {ID: "c", Priority: "x"}} {
		if _, err := api.OpBlockScore.Call(ada.ctx, ada.svc, bad); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestSweep proves that what expires leaves working memory, and stays in history.
func TestSweep(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\n"})
	w.ingest()
	ada := w.desk("ada", "s")
	first := ada.add(
		working.Block{Type: working.Task, TaskID: "soon", Expiry: w.clock.Add(10 * time.Minute)},
		working.Block{Type: working.History, ActionType: "think", ID: "h"}, working.Block{Type: working.Task, TaskID: "stays"})
	w.clock = w.clock.Add(2 * time.Hour)
	if got := ada.ids(); !slices.Equal(got, []string{"task:stays"}) {
		t.Errorf("listed %v", got)
	}
	if text := ada.context(api.ContextRequest{}).Text; strings.Contains(text, "soon") || strings.Contains(text, "think") {
		t.Errorf("a window shows what has left:\n%s", text)
	}
	n, err := api.OpShow.Call(ada.ctx, ada.svc, api.ShowRequest{ID: working.NodeID("ada", "task:soon"), At: fmt.Sprintf("seq:%d", first.Seq)})
	if err != nil || !strings.Contains(n.Title, "soon") {
		t.Errorf("history has %+v, %v", n, err)
	}
}

// TestBlockFiles proves which files a block may be about, and that what cannot be read
// concerns that block alone.
func TestBlockFiles(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := newGuarded(t, guard.Rules{})
	g.write(map[string]string{
		"src/a.go": "one\ntwo\nthree\n", "src/last": "no\nend", "binary": "a\x00b", "latin": "caf\xe9", ".env": "KEY=1",
		"ignored.txt": "x", ".foveaignore": "ignored.txt\n",
		"huge": strings.Repeat("0123456789abcdef\n", 1<<20), "agents/ada/ROM.md": "You are Ada.\n", "key.org.gpg": "sealed",
	})
	if err := os.Symlink(outside, filepath.Join(g.dir, "link")); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"dotted": ".env", "sealed": "key.org.gpg"} {
		if err := os.Symlink(to, filepath.Join(g.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	g.ingest()
	ada := g.desk("ada", "s")
	for _, tc := range []struct {
		path     string
		from, to int
		want     string // of the content, or of the error
		kind     fovea.Kind
	}{
		{"src/a.go", 0, 0, "one\ntwo\nthree\n", 0},
		{"./src/a.go", 1, 1, "one\n", 0},
		{"src/a.go", 2, 3, "two\nthree\n", 0},
		{"src/a.go", 3, 9, "three\n", 0},
		{"src/last", 2, 2, "end", 0},
		{" '$MEMEX_ROOT/src/a.go' ", 1, 1, "one\n", 0},
		{"$SKILLS_DIR/plan.org", 5, 5, "#+TITLE: Plan\n", 0},
		{"notes.org", 1, 1, "* A zebra note\n", 0},
		{"src/a.go", 4, 5, "the file has 3 lines", fovea.Invalid},
		{"nope", 0, 0, "there is no such file", fovea.NotFound},
		{"src", 0, 0, "", fovea.Invalid},
		{"../secret.txt", 0, 0, "leads out of the memex", fovea.Denied},
		{outside, 0, 0, "leads out of the memex", fovea.Denied},
		{"link", 0, 0, "leads out of the memex", fovea.Denied},
		{".env", 0, 0, "hidden or ignored", fovea.Denied},
		{"dotted", 0, 0, "hidden or ignored", fovea.Denied},
		{"ignored.txt", 0, 0, "hidden or ignored", fovea.Denied},
		{"$HOME/x", 0, 0, "there is no such file", fovea.NotFound},
		{"$SECRET/x", 0, 0, "there is no such file", fovea.NotFound},
		{"binary", 0, 0, "is not text", fovea.Invalid},
		{"latin", 0, 0, "is not text", fovea.Invalid},
		{"huge", 0, 0, "limit", fovea.Invalid},
		{"key.org.gpg", 0, 0, "encrypted", fovea.Denied},
		{"sealed", 0, 0, "encrypted", fovea.Denied},
		{"agents/bob/ROM.md", 0, 0, "there is no such file", fovea.NotFound},
	} {
		b := working.Block{Type: working.File, Location: tc.path, StartLine: tc.from, EndLine: tc.to}
		r, err := api.OpBlockAdd.Call(ada.ctx, ada.svc, api.BlockAddRequest{Blocks: []working.Block{b}})
		if tc.kind != 0 {
			if fovea.KindOf(err) != tc.kind || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q of kind %s", tc.path, err, tc.want, tc.kind)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.path, err)
			continue
		}
		kept, err := g.m.Scope(t.Context(), "session/s")
		if err != nil {
			t.Fatal(err)
		}
		block, err := kept.Blocks().Get("ada", r.Blocks[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		text, err := minds.BlocksOf(g.m.Blocks()).Files().Content(t.Context(), view.Of(g.m.View()), &block)
		if err != nil || text != tc.want {
			t.Errorf("%s: got %q, %v", tc.path, text, err)
		}
	}
	r, err := api.OpBlockAdd.Call(ada.ctx, ada.svc, api.BlockAddRequest{Blocks: []working.Block{
		{Type: working.File, Location: "binary"}, {Type: working.Task, TaskID: "T", Automatic: true}, {Type: "blurb"},
	}})
	if got := ada.did(); len(got) != 0 {
		t.Errorf("an agent marks its own block as made by Fovea: %v", got)
	}
	if failed := r.Failed(); failed == nil || !strings.Contains(failed.Error(), "2 of 3 were not added") {
		t.Errorf("two of three are refused: %v", failed)
	}
	if err != nil || r.Blocks[0].Error == "" || r.Blocks[1].Error != "" || r.Blocks[2].Error == "" || !slices.Contains(ada.ids(), "task:T") {
		t.Errorf("got %+v, %v", r, err)
	}
	g.write(map[string]string{"skills/plan.org": "#+TITLE: Forged\n"})
	g.remove("src/last")
	w := ada.context(api.ContextRequest{Budget: 4000})
	if strings.Contains(w.Text, "Forged") || !strings.Contains(w.Text, "lockdown") ||
		!strings.Contains(w.Text, "there is no such file") || !strings.Contains(w.Text, "three") {
		t.Errorf("a locked, a missing and other files:\n%s", w.Text)
	}
}

// TestTooManyBlocks proves that a session has a limit, and that what is refused changes
// nothing.
func TestTooManyBlocks(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Pump\n"})
	w.ingest()
	ada := w.desk("ada", "s")
	all := make([]working.Block, minds.MaxBlocks)
	for i := range all {
		all[i] = working.Block{Type: working.Task, TaskID: strconv.Itoa(i)}
	}
	_, err := api.OpBlockAdd.Call(ada.ctx, ada.svc, api.BlockAddRequest{Blocks: append(all, working.Block{Type: working.Task, TaskID: "more"})})
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "remove some") || len(ada.ids()) != 0 {
		t.Errorf("got %v, and %d blocks", err, len(ada.ids()))
	}
}

// TestFileCache proves that a window reads only files that changed or were not read for five
// minutes, that ranges of a file share one reading, and that files can be read in
// parallel.
func TestFileCache(t *testing.T) {
	files := map[string]string{"a.org": "* A\n"}
	for i := range 40 {
		files[fmt.Sprintf("src/f%02d", i)] = fmt.Sprintf("first of %02d\nsecond of %02d\n", i, i)
	}
	w := newWorld(t, files)
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state, Now: func() time.Time { return w.clock }})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	v := w.ingest()
	var all []*working.Block
	var want []string
	for i := range 40 {
		for _, line := range []int{1, 2} {
			b, err := working.Block{Type: working.File, Location: fmt.Sprintf("src/f%02d", i), StartLine: line, EndLine: line}.Complete(w.clock)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &b)
			want = append(want, fmt.Sprintf("%s of %02d\n", []string{1: "first", 2: "second"}[line], i))
		}
	}
	reader := minds.BlocksOf(w.m.Blocks()).Files()
	texts, errs := make([]string, len(all)), make([]error, len(all))
	var readers sync.WaitGroup
	for i, b := range all {
		readers.Go(func() { texts[i], errs[i] = reader.Content(t.Context(), view.Of(v), b) })
	}
	readers.Wait()
	if diff := cmp.Diff(want, texts); diff != "" || errors.Join(errs...) != nil {
		t.Fatalf("%v %s", errs, diff)
	}
	read := func() int {
		t.Helper()
		before := reader.Reads()
		if _, err := reader.Content(t.Context(), view.Of(v), all[1]); err != nil {
			t.Fatal(err)
		}
		return reader.Reads() - before
	}
	if n := reader.Reads(); n < 40 || n > 80 {
		t.Errorf("%d readings of 40 files", n)
	}
	if n := read(); n != 0 {
		t.Errorf("an unchanged file is read %d times", n)
	}
	w.write(map[string]string{"src/f00": "first of 00\nanother\n"})
	if n := read(); n != 1 {
		t.Errorf("a changed file is read %d times", n)
	}
	if text, err := reader.Content(t.Context(), view.Of(v), all[1]); err != nil || text != "another\n" {
		t.Errorf("got %q, %v", text, err)
	}
	w.clock = w.clock.Add(6 * time.Minute)
	if n := read(); n != 1 {
		t.Errorf("a file is read %d times after six minutes", n)
	}
}

// TestWorkingMemoryOfSeed is the example of the seed hive-mind-memory-model.md: an agent's
// identity, its task and some files; add, select, build, encode.
func TestWorkingMemoryOfSeed(t *testing.T) {
	files := map[string]string{"agents/agent_001/ROM.md": "You are agent_001.\n", "notes.org": "* Sessions\nWe keep sessions, not tokens.\n"}
	for i := range 40 {
		files[fmt.Sprintf("src/f%02d.go", i)] = strings.Repeat(fmt.Sprintf("// file %d is about sessions\n", i), 40)
	}
	w := newWorld(t, files)
	w.ingest()
	d := w.desk("agent_001", "")
	desk := []working.Block{
		{Type: working.File, Location: "agents/agent_001/ROM.md", Priority: working.Critical, Confidence: new(1.0)},
		{Type: working.Task, TaskID: "TASK-042", Description: "Implement authentication module", Project: "project_alpha",
			Status: "in_progress", Priority: working.High},
	}
	for i := range 40 {
		desk = append(desk, working.Block{Type: working.File, Location: fmt.Sprintf("src/f%02d.go", i), Priority: working.Medium, Confidence: new(0.8)})
	}
	d.add(desk...)
	got := d.context(api.ContextRequest{Budget: 6000, Policy: window.PolicyShares, Format: window.FormatJSON})
	var array []struct {
		ID, Content, Priority string
		Confidence            float64
		Metadata              map[string]any
	}
	if err := json.Unmarshal([]byte(got.Text), &array); err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, e := range array {
		at[e.ID] = i + 1
	}
	rom, task := at["agents/agent_001/ROM.md"], at["task:TASK-042"]
	if rom == 0 || task == 0 || len(array) < 10 || got.Tokens > 6000 {
		t.Fatalf("%d tokens, %d entries, rom at %d, task at %d", got.Tokens, len(array), rom, task)
	}
	if rom != 1 || task != 2 || array[2].Priority != "medium" {
		t.Errorf("the ROM is at %d, the task at %d, then comes %+v", rom, task, array[2])
	}
	if got.Tokens > 5700 {
		t.Errorf("%d of 6000 tokens: nothing stays free for the answer", got.Tokens)
	}
	if e := array[task-1]; e.Content != "Implement authentication module" || e.Priority != "high" ||
		!cmp.Equal(e.Metadata["status"], any("in_progress")) || e.Metadata["task_id"] != "TASK-042" {
		t.Errorf("the task is %+v", e)
	}
	if e := array[rom-1]; e.Content != "You are agent_001." || e.Priority != "critical" || e.Metadata["source"] != "agents/agent_001/ROM.md" {
		t.Errorf("the ROM is %+v", e)
	}
}

// TestRelatedIDs proves that what a context is related to is shown to the model, under its id also
// where it was named by its handle, and has a link to it, which nobody sees but the agent.
func TestRelatedIDs(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Tides\n:PROPERTIES:\n:ID: tides\n:END:\nSpring.\n* Moon\n:PROPERTIES:\n:ID: moon\n:END:\n"})
	w.ingest()
	moon, _ := w.m.View().Get("moon")
	d := w.desk("ada", "")
	d.add(working.Block{Type: working.Context, ContextType: "project_context", Summary: "The moon makes tides.",
		RelatedIDs: []string{"tides", w.m.View().Handle(moon), "task:T"}})
	for format, want := range map[string]string{
		window.FormatOrg: "Related: [[id:tides]], [[id:moon]], [[id:task:T]]", window.FormatJSON: `"related_ids":["tides","moon","task:T"]`,
	} {
		if got := d.context(api.ContextRequest{Format: format}); !strings.Contains(got.Text, want) {
			t.Errorf("%s: %s", format, got.Text)
		}
	}
	for name, want := range map[string]int{"ada": 1, "ben": 0} {
		for _, session := range []string{"ada", ""} {
			other := w.desk(name, session)
			shown, err := api.OpShow.Call(other.ctx, other.svc, api.ShowRequest{ID: "moon"})
			if err != nil || len(shown.Backlinks) != want {
				t.Errorf("%s sees the backlinks %+v in session %q, %v", name, shown, session, err)
			}
		}
	}
}

// TestBlocksOfAWindowAreRead proves that an agent can read what a window of its names: its blocks, by their handles, and
// nobody else's.
func TestBlocksOfAWindowAreRead(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* Tides\n"})
	w.ingest()
	d := w.desk("ada", "")
	d.add(working.Block{Type: working.Context, Summary: "The moon makes tides."})
	first := regexp.MustCompile(`(?m)^\* (\S+) Context`).FindStringSubmatch(d.context(api.ContextRequest{}).Text)
	if first == nil {
		t.Fatal("the block is not in the window")
	}
	shown, err := api.OpShow.Call(d.ctx, d.svc, api.ShowRequest{ID: first[1]})
	if err != nil || !strings.Contains(shown.Title, "Context") {
		t.Errorf("%s is %+v, %v", first[1], shown, err)
	}
	ben := w.desk("ben", "")
	if shown, err := api.OpShow.Call(ben.ctx, ben.svc, api.ShowRequest{ID: first[1]}); err == nil {
		t.Errorf("ben reads %+v", shown)
	}
}

// TestLinesToTheEnd proves that a block of a file from a line on has the rest of the file, also when it
// grows.
func TestLinesToTheEnd(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* a\n", "code.py": "one\ntwo\nthree\n"})
	w.ingest()
	d := w.desk("ada", "")
	added := d.add(working.Block{Type: working.File, Location: "code.py", StartLine: 2})
	if id := added.Blocks[0].ID; id != "code.py:2-" {
		t.Errorf("the id is %q", id)
	}
	for _, text := range []string{"one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n"} {
		w.write(map[string]string{"code.py": text})
		got := d.context(api.ContextRequest{Format: window.FormatJSON})
		content, _ := json.Marshal(strings.TrimSpace(strings.TrimPrefix(text, "one\n")))
		if want := `"content":` + string(content); !strings.Contains(got.Text, want) || !strings.Contains(got.Text, `"lines":"2-"`) {
			t.Errorf("no %s in %s", want, got.Text)
		}
	}
}

// TestLibraryReadsBlocks: a window of the library has the text of the files that blocks name, and
// says of which it cannot read, without the program reading any.
func TestLibraryReadsBlocks(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n", "login.go": "package login\n\nfunc Login() {}\n", "gone.txt": "here\n"})
	ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada"), May: func(string) error { return nil }})
	session := w.scope("session/one")
	_, _, err := session.Blocks().Add(ctx, w.m.View(), working.Request{Agent: "ada", Now: w.now(), Blocks: []working.Block{
		{Type: working.File, Location: "login.go", StartLine: 3}, {Type: working.File, Location: "gone.txt"},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.remove("gone.txt")
	over, err := w.m.Over(ctx, "session/one")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]fovea.View{"over": over, "session": session.View()} {
		got, err := v.Window(ctx, window.Request{Budget: 400})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"func Login() {}", "(cannot be read: "} {
			if !strings.Contains(got.Text, want) {
				t.Errorf("%s: the window has no %q:\n%s", name, want, got.Text)
			}
		}
	}
}
