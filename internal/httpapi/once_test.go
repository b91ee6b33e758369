// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/document"
)

const planSkill = ":PROPERTIES:\n:ID: plan\n:SKILL_PRIORITY: 7\n:END:\n#+TITLE: Plan\n"

// repetition is a request that comes twice under one key.
type repetition struct {
	name, op, body string
	agent          bool          // ada asks, with nothing granted
	before         func(s *site) // what is done before, all of it by the person
	forgets        bool          // it makes no commit: after a restart it is done again
	less           bool          // after a restart the answer says less
}

// repeated are requests that come twice under one key, at least one of each operation
// that writes.
var repeated = []repetition{
	{name: "a snapshot", op: "snapshot", body: `{"name":"kept"}`, agent: true, forgets: true},
	{name: "a checkpoint", op: "checkpoint", body: `{"name":"kept"}`, agent: true, forgets: true},
	{name: "an event", op: "event", body: `{"event":"manual-persist"}`, agent: true, forgets: true},
	{name: "a rollback", op: "rollback", body: `{"to":"seq:1"}`, agent: true},
	{name: "a rollback of memory", op: "rollback", body: `{"to":"seq:1","memory_only":true}`, agent: true},
	{name: "a restore", op: "restore", body: `{"name":"start"}`},
	{name: "a revert", op: "revert", body: `{"commits":["2"]}`, agent: true},
	{name: "a revert of an author", op: "revert", body: `{"author":"ada"}`, agent: true},
	{name: "adopted drift", op: "drift", body: `{"action":"adopt"}`, before: (*site).driftApart, less: true},
	{name: "applied drift", op: "drift", body: `{"action":"apply"}`, before: (*site).driftApart, forgets: true},
	{name: "a merge", op: "merge", body: `{"state":"COPY"}`, before: (*site).depart},
	{name: "a resolved conflict", op: "resolve", body: `{"id":"hers","take":"theirs"}`, before: func(s *site) {
		s.must("edit", `{"id":"hers","title":"Of both"}`)
		s.must("revert", `{"commits":["2"]}`)
	}},
	{name: "an edit", op: "edit", body: `{"id":"Of ada","title":"Renamed"}`, agent: true},
	{name: "a note", op: "remember", body: `{"title":"New"}`, agent: true},
	{name: "a note of the person", op: "remember", body: `{"title":"New"}`},
	{name: "a note forgotten", op: "forget", body: `{"id":"Of ada"}`, agent: true},
	{name: "a move", op: "refile", body: `{"id":"One","to":"Two"}`},
	{name: "a move to the archive", op: "archive", body: `{"id":"One"}`},
	{name: "ids", op: "assign-ids", body: `{"ids":["One"]}`},
	{name: "a repair of what is whole", op: "repair", body: `{}`, forgets: true},
	{name: "a thinning", op: "retain", body: `{"keep_all":"1ns"}`},
	{name: "a purge", op: "purge", body: `{"text":"a secret"}`, before: func(s *site) {
		s.write("a.org", "* One\n")
		s.must("ingest", "{}")
	}},
	{name: "a guarded file adopted", op: "guard-adopt", body: `{"path":"skills/plan.org"}`, before: (*site).tamper},
	{name: "a guarded file rejected", op: "guard-reject", body: `{"path":"skills/plan.org"}`, before: (*site).tamper},
	{name: "a tree", op: "ingest-tree", body: `{"ast":{"type":"headline","properties":{"ID":"t1","title":"Of a buffer"},"contents":[]},"scope":"session/s1"}`},
	{name: "a buffer", op: "buffer-update", body: `{"client":"editor","path":"a.org","modified":true}`, forgets: true, before: func(s *site) {
		s.t.Cleanup(s.feed.Buffers.Join("editor"))
	}},
	{name: "a block", op: "block-add", body: `{"blocks":[{"type":"task","task_id":"T"},{"type":"file","location":"none"}]}`, agent: true},
	{name: "a block removed", op: "block-remove", body: `{"ids":["task:T"]}`, agent: true, before: (*site).block},
	{name: "a block scored", op: "block-score", body: `{"id":"task:T","confidence":0.5}`, agent: true, before: (*site).block},
	{name: "feedback", op: "feedback", body: `{"question":"One","useful":["One"]}`},
	{name: "feedback forgotten", op: "feedback-reset", body: `{}`, before: func(s *site) { s.must("feedback", `{"question":"One","useful":["One"]}`) }},
	{name: "a message", op: "message-send", body: `{"to":"owner","subject":"Hello"}`, agent: true},
	{name: "messages read", op: "message-read", body: `{}`, agent: true, before: (*site).post},
	{name: "a claim", op: "task-claim", body: `{"task":"job"}`, agent: true, before: (*site).job},
	{name: "a claim renewed", op: "task-renew", body: `{"task":"job","number":NUMBER}`, agent: true, before: (*site).claimed},
	{name: "a claim released", op: "task-release", body: `{"task":"job","number":NUMBER}`, agent: true, before: (*site).claimed},
	{name: "a task done", op: "task-done", body: `{"task":"job","number":NUMBER}`, agent: true, before: (*site).claimed},
	{name: "a proposal", op: "propose", body: `{"op":"remember","request":{"title":"New","under":"inbox.org"}}`, agent: true},
	{name: "a proposal edited", op: "review-edit", body: `{"id":"PROPOSAL","title":"Newer"}`, before: (*site).proposed},
	{name: "a proposal accepted", op: "review-accept", body: `{"id":"PROPOSAL"}`, before: (*site).proposed, forgets: true},
	{name: "a proposal rejected", op: "review-reject", body: `{"id":"PROPOSAL"}`, before: (*site).proposed, forgets: true},
	{name: "a proposal withdrawn", op: "review-withdraw", body: `{"id":"PROPOSAL"}`, agent: true, before: (*site).proposed, forgets: true},
	{name: "news seen", op: "news-seen", body: `{"upto":{"memex":1}}`, forgets: true},
	{name: "a bundle written", op: "bundle-write", body: `{"file":"BUNDLE","plain":true}`, forgets: true},
	{name: "a bundle read", op: "bundle-read", body: `{"file":"BUNDLE","replace":true}`, before: (*site).bundled},
	{name: "notes exported", op: "export", body: `{"kind":"jsonl","to":"BUNDLE"}`, forgets: true},
	{name: "notes imported", op: "import", body: `{"kind":"jsonl","source":"BUNDLE"}`, before: (*site).exported, less: true},
	{name: "a remote added", op: "remote-add", body: `{"name":"stick","url":"PLACE","plain":true}`, forgets: true},
	{name: "a push", op: "push", body: `{}`, before: (*site).placed, forgets: true},
	{name: "a pull", op: "pull", body: `{}`, before: (*site).placed, forgets: true},
	{name: "a sync", op: "sync", body: `{}`, before: (*site).placed, forgets: true},
	{name: "a scrub", op: "remote-scrub", body: `{}`, before: (*site).placed, forgets: true},
	{name: "a member admitted", op: "remote-admit", body: admitted, before: (*site).placed, forgets: true},
	{name: "a member expelled", op: "remote-expel", body: `{"name":"stick","member":"box"}`, before: (*site).admits, forgets: true},
	{name: "a remote removed", op: "remote-remove", body: `{"name":"stick"}`, before: (*site).placed, forgets: true},
	{name: "deletions accepted", op: "ingest", body: `{"accept_deletions":true}`, forgets: true},
}

// scene is a memory of notes of a person and of ada, with a checkpoint before hers.
func scene(t *testing.T) *site {
	t.Helper()
	s := open(t, map[string]string{"a.org": "* One\na secret\n", "b.org": "* Two\n", "skills/plan.org": planSkill})
	s.must("ingest", "{}")
	s.must("checkpoint", `{"name":"start"}`)
	s.must("remember", `{"title":"Of ada","property":["ID=hers"],"under":"agents/ada/notes.org"}`, "Authorization", "Bearer agent")
	return s
}

// must asks as the person for what has to succeed.
func (s *site) must(op, body string, headers ...string) reply {
	s.t.Helper()
	r := s.ask("POST", "/v1/"+op, body, headers...)
	if r.status != 200 {
		s.t.Fatalf("%s %s: %d %s", op, body, r.status, r.body)
	}
	return r
}

// block gives ada a block of working memory.
func (s *site) block() {
	s.must("block-add", `{"blocks":[{"type":"task","task_id":"T"}]}`, "Authorization", "Bearer agent")
}

// bundled writes a bundle, and then changes a note.
func (s *site) bundled() {
	s.must("bundle-write", s.filled(`{"file":"BUNDLE","plain":true}`))
	s.must("remember", `{"title":"Later"}`)
}

// exported writes the notes into a file of JSON lines.
func (s *site) exported() { s.must("export", s.filled(`{"kind":"jsonl","to":"BUNDLE"}`)) }

// placed adds a remote.
func (s *site) placed() {
	s.must("remote-add", s.filled(`{"name":"stick","url":"PLACE","plain":true}`))
}

// admitted puts a machine on the list of members of the remote.
const admitted = `{"name":"stick","member":"box","key":"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW","agents":["ada"]}`

// admits adds a remote that has a member.
func (s *site) admits() {
	s.placed()
	s.must("remote-admit", admitted)
}

// post sends ada a message.
func (s *site) post() { s.must("message-send", `{"to":"ada","subject":"Hello","body":"Rain."}`) }

// job adds a task.
func (s *site) job() {
	s.must("remember", `{"title":"Job","todo":"TODO","property":["ID=job"],"under":"tasks.org"}`)
}

// claimed adds a task, and ada claims it.
func (s *site) claimed() {
	s.job()
	var c ops.ClaimResponse
	if err := json.Unmarshal(s.must("task-claim", `{"task":"job"}`, "Authorization", "Bearer agent").body, &c); err != nil {
		s.t.Fatal(err)
	}
	s.held = c.Number
}

// proposed lets ada propose a note.
func (s *site) proposed() {
	var p ops.Proposal
	err := json.Unmarshal(s.must("propose", `{"op":"remember","request":{"title":"New","under":"inbox.org"}}`, "Authorization", "Bearer agent").body, &p)
	if err != nil {
		s.t.Fatal(err)
	}
	s.proposal = p.ID
}

// filled fills in what a request names and only the site knows.
func (s *site) filled(body string) string {
	return strings.NewReplacer("COPY", s.copied(), "NUMBER", strconv.FormatUint(s.held, 10), "PROPOSAL", s.proposal,
		"BUNDLE", s.dir+"-b.car", "PLACE", s.dir+"-place").Replace(body)
}

// driftApart leaves files that differ from memory on purpose.
func (s *site) driftApart() { s.must("rollback", `{"to":"seq:1","memory_only":true}`) }

// copied is where depart puts a copy of the state.
func (s *site) copied() string { return filepath.Join(filepath.Dir(s.dir), "copy") }

// depart makes a copy of the memory with further commits.
func (s *site) depart() {
	s.t.Helper()
	memex := filepath.Join(filepath.Dir(s.dir), "memex")
	err := errors.Join(os.CopyFS(s.copied(), os.DirFS(s.m.Status().StateDir)), os.CopyFS(memex, os.DirFS(s.dir)))
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := fovea.Open(s.t.Context(), memex, &fovea.Options{StateDir: s.copied(), Adopt: true})
	if err == nil {
		_, err = m.Notes().Edit(s.t.Context(), "hers", nil, document.AddTag{Tag: "there"})
		err = errors.Join(err, m.Close())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// tamper changes a protected file from outside.
func (s *site) tamper() {
	s.write("skills/plan.org", planSkill+"* Another step\n")
	s.must("ingest", "{}")
}

// standing is all that an operation can change.
func (s *site) standing() string {
	s.t.Helper()
	var b bytes.Buffer
	b.Write(s.must("log", "{}").body)
	b.Write(s.must("snapshots", "{}").body)
	b.Write(s.must("drift", "{}").body)
	b.Write(s.must("guard", "{}").body)
	b.Write(s.must("status", "{}", api.HeaderSession, "s1").body)
	b.Write(s.must("blocks", `{"agent":"ada"}`).body)
	names, err := filepath.Glob(filepath.Join(s.dir, "*.org"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			s.t.Fatal(err)
		}
		b.WriteString(filepath.Base(name) + "\n" + string(text))
	}
	return b.String()
}

// TestRepeatedOnce: each operation that writes is carried out once under a key, and
// answered as the first time when it comes again, though somebody else has written
// since: at once, and after a restart as far as it makes a commit.
func TestRepeatedOnce(t *testing.T) {
	covered := map[string]bool{}
	for _, tc := range repeated {
		covered[tc.op] = true
		for _, restarted := range []bool{false, true} {
			name := tc.name
			if restarted {
				name += " after a restart"
			}
			t.Run(name, func(t *testing.T) {
				s := scene(t)
				if tc.before != nil {
					tc.before(s)
				}
				headers := []string{api.HeaderOp, "k1"}
				if tc.agent {
					headers = append(headers, "Authorization", "Bearer agent")
				}
				body := s.filled(tc.body)
				first := s.must(tc.op, body, headers...)
				s.write("later.org", "* Written since\n")
				s.must("ingest", "{}")
				before := s.standing()
				if restarted {
					s.serve()
				}
				if restarted && tc.forgets {
					return
				}
				again := s.must(tc.op, body, headers...)
				if diff := cmp.Diff(string(first.body), string(again.body)); diff != "" && !(restarted && tc.less) {
					t.Errorf("answered otherwise (-first +again):\n%s", diff)
				}
				if diff := cmp.Diff(before, s.standing()); diff != "" {
					t.Errorf("done again (-before +after):\n%s", diff)
				}
			})
		}
	}
	for _, op := range api.Operations {
		if op.Effect != api.Reads && !covered[op.Name] {
			t.Errorf("%s writes, and nothing here repeats it", op.Name)
		}
	}
}

// TestOnceAtOnce: of many that ask at once under one key, one is carried out.
func TestOnceAtOnce(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	s.must("ingest", "{}")
	bodies := make([]string, 8)
	var group sync.WaitGroup
	for i := range bodies {
		group.Go(func() {
			r := s.ask("POST", "/v1/snapshot", `{}`, api.HeaderOp, "k1")
			bodies[i] = fmt.Sprintf("%d %s", r.status, r.body)
		})
	}
	group.Wait()
	for _, body := range bodies {
		if body != bodies[0] || !strings.HasPrefix(body, "200 ") {
			t.Errorf("answered %s and %s", bodies[0], body)
		}
	}
	if list := s.m.History().Snapshots(); len(list) != 1 {
		t.Errorf("%d snapshots", len(list))
	}
}

// TestOnceAfterAFailure: a request that failed is carried out when it comes again.
func TestOnceAfterAFailure(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	const body = `{"id":"B","todo":"TODO"}`
	if r := s.ask("POST", "/v1/edit", body, api.HeaderOp, "k1"); r.status != 404 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	s.write("b.org", "* B\n")
	s.must("edit", body, api.HeaderOp, "k1")
}

// TestOnceForgets: the newest thousand answers are kept, and keys tell other requests
// long after.
func TestOnceForgets(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	s.must("ingest", "{}")
	keep := func(name, key string) reply {
		return s.ask("POST", "/v1/snapshot", fmt.Sprintf(`{"name":"%s"}`, name), api.HeaderOp, key)
	}
	first := keep("first", "k-first")
	for i := range 1000 {
		keep("first", fmt.Sprint("k", i))
	}
	s.write("a.org", "* B\n")
	s.must("ingest", "{}")
	if r := keep("first", "k999"); !bytes.Equal(r.body, first.body) {
		t.Errorf("the newest is answered %s, want %s", r.body, first.body)
	}
	if r := keep("first", "k-first"); r.status != 200 || bytes.Equal(r.body, first.body) {
		t.Errorf("the oldest of 1001 is answered as the first time: %s", r.body)
	}
	if r := keep("other", "k0"); r.status != 422 {
		t.Errorf("another request under a key: %d %s", r.status, r.body)
	}
}
