// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// standing is the claim of a task after a commit.
type standing struct {
	seq    uint64
	by     string
	number uint64
	until  time.Time
}

// standingOf reads the claim of a node.
func standingOf(seq uint64, n *node.Node) standing {
	s := standing{seq: seq, by: n.Derived.Last(document.ClaimedBy), number: document.ClaimNumber(n.Derived.Last(document.ClaimKey))}
	s.until, _ = time.Parse(time.RFC3339Nano, n.Derived.Last(document.LeaseUntil))
	return s
}

// skew is how much later than its judgement a commit may be dated.
const skew = 200 * time.Millisecond

// judge opens what the colony left and demands what was promised.
func (c *colony) judge() {
	c.t.Helper()
	m, err := fovea.Open(c.t.Context(), c.memex, &fovea.Options{StateDir: c.state})
	if err != nil {
		c.t.Fatal(err)
	}
	defer m.Close()
	log, err := m.History().Log(c.t.Context(), "", 0)
	if err != nil {
		c.t.Fatal(err)
	}
	commits := map[uint64]fovea.Commit{}
	for _, k := range log {
		commits[k.Seq] = k
	}
	tasks := map[string][]standing{}
	for i := range colonyTasks {
		id := fmt.Sprintf("t%d", i)
		tasks[id] = c.judgeTask(m, id, commits)
	}
	lines, notes := c.judgeWrites(m, tasks)
	c.judgeMail()
	if _, problems, err := m.Mending().Verify(c.t.Context()); err != nil || len(problems) > 0 {
		c.t.Errorf("verify: %v, %v", problems, err)
	}
	c.t.Logf("%d commits, kills %v; claims acknowledged %d, lines and notes %d of %d and %d there, refused under an old number %d, messages %d", len(log), c.kills,
		len(c.held), len(c.acks), lines, notes, c.stale, len(c.sent))
	if c.kills["shims"] == 0 || c.kills["daemons"] == 0 || len(c.held) == 0 || len(c.sent) == 0 {
		c.t.Error("the campaign has done nothing")
	}
}

// judgeTask goes through the commits that changed a task: a claim begins where none was in force,
// with a number greater than all before, and nobody but its holder changes the task. It returns
// how the claim stood after each.
func (c *colony) judgeTask(m *fovea.Memory, id string, commits map[uint64]fovea.Commit) []standing {
	c.t.Helper()
	changed, err := m.History().Log(c.t.Context(), id, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	slices.Reverse(changed)
	var all []standing
	was, largest, before, seen := standing{}, uint64(0), "", map[string]bool{}
	for _, k := range changed {
		v, err := m.History().At(c.t.Context(), fmt.Sprintf("seq:%d", k.Seq))
		if err != nil {
			c.t.Fatal(err)
		}
		n, ok := v.Get(id)
		if !ok {
			c.t.Fatalf("%s is gone in commit %d", id, k.Seq)
		}
		now, by := standingOf(k.Seq, n), commits[k.Seq].Author.Name
		where := fmt.Sprintf("%s, commit %d by %s at %s: %+v after %+v", id, k.Seq, by, k.Time.Format(time.RFC3339Nano), now, was)
		switch {
		case now.number != was.number:
			if now.number <= largest || now.by != by {
				c.t.Errorf("the number of a claim does not grow, or it is another's: %s", where)
			}
			if was.by != "" && was.until.After(k.Time) {
				c.t.Errorf("two holders: %s", where)
			}
			largest = now.number
			seen[fmt.Sprint(id, " ", now.number, " ", now.by)] = true
		case was.by != "" && by != was.by && was.until.After(k.Time.Add(skew)):
			c.t.Errorf("changed by another: %s", where)
		}
		if n.Content == before {
			c.t.Errorf("nothing changed: %s", where)
		}
		all, was, before = append(all, now), now, n.Content
	}
	for claim := range c.held {
		if strings.HasPrefix(claim, id+" ") && !seen[claim] {
			c.t.Errorf("lost: the claim %s was acknowledged", claim)
		}
	}
	return all
}

// judgeWrites demands that lines and notes that were acknowledged are there once, and that each
// note was written while its claim stood. It returns how many there are.
func (c *colony) judgeWrites(m *fovea.Memory, tasks map[string][]standing) (lines, notes int) {
	c.t.Helper()
	there := map[string]int{}
	for n := range m.View().All() {
		for line := range strings.Lines(n.Content) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "LINE ") {
				there[line]++
				lines++
			}
		}
		if !strings.HasPrefix(n.Derived.Title, "NOTE ") {
			continue
		}
		there[n.Derived.Title]++
		notes++
		changed, err := m.History().Log(c.t.Context(), n.ID, 0)
		if err != nil {
			c.t.Fatal(err)
		}
		first, words := changed[len(changed)-1], strings.Fields(n.Derived.Title)
		at, _ := slices.BinarySearchFunc(tasks[words[2]], first.Seq, func(s standing, seq uint64) int { return int(s.seq) - int(seq) })
		if at == 0 {
			c.t.Errorf("%s was written before any claim", n.Derived.Title)
			continue
		}
		s := tasks[words[2]][at-1]
		if fmt.Sprint(s.by, " ", s.number) != words[1]+" "+words[3] || s.until.Add(skew).Before(first.Time) {
			c.t.Errorf("%s landed in commit %d at %s, when the claim stood at %+v", n.Derived.Title, first.Seq, first.Time.Format(time.RFC3339Nano), s)
		}
	}
	for what, n := range there {
		if n > 1 {
			c.t.Errorf("%s is there %d times", what, n)
		}
	}
	for what := range c.acks {
		if there[what] == 0 {
			c.t.Errorf("lost: %s was acknowledged", what)
		}
	}
	return lines, notes
}

// judgeMail demands that each message is in the inbox of its receiver once, was given to it, and
// is marked as read only then.
func (c *colony) judgeMail() {
	c.t.Helper()
	there, again := map[string]string{}, 0
	for _, w := range c.agents {
		for subject, read := range c.inbox(w.name) {
			if there[subject] != "" || c.tried[subject] != w.name {
				c.t.Errorf("%s is in the inboxes of %s and %q", subject, w.name, there[subject])
			}
			there[subject] = w.name
			times := c.got[w.name][subject]
			if again += max(0, times-1); times == 0 {
				c.t.Errorf("%s was not given to %s; marked as read: %v", subject, w.name, read)
			}
		}
		for subject := range c.got[w.name] {
			if there[subject] != w.name {
				c.t.Errorf("%s was given to %s, and is not in its inbox", subject, w.name)
			}
		}
	}
	for subject, to := range c.sent {
		if there[subject] != to {
			c.t.Errorf("lost: %s to %s was acknowledged", subject, to)
		}
	}
	c.t.Logf("%d messages, %d of them given a second time after a kill", len(there), again)
}

// inbox reads the messages in the files of an inbox, and whether they are marked as read.
func (c *colony) inbox(agent string) map[string]bool {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.memex, "agents", agent, "inbox*.org"))
	if err != nil {
		c.t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(text), "\n* ")[1:] {
			subject := subjects.FindString(part)
			if _, twice := all[subject]; twice {
				c.t.Errorf("%s is twice in %s", subject, file)
			}
			all[subject] = !strings.Contains(part, ":READ: no")
		}
	}
	return all
}
