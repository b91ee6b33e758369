// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
)

// together runs operations as one group, in this order, and returns when all have.
func (w *world) together(ops ...func()) {
	writer := w.m.Notes().(interface{ Writer() *write.Writer }).Writer()
	release := writer.Hold()
	var all sync.WaitGroup
	var refused atomic.Int64 // before they had to wait
	for i, op := range ops {
		all.Go(func() {
			op()
			refused.Add(1)
		})
		for writer.Waiting()+int(refused.Load()) <= i {
			runtime.Gosched()
		}
	}
	release()
	all.Wait()
}

// log lists the commits, newest first.
func (w *world) log() []chain.Commit {
	w.t.Helper()
	all, err := w.m.History().Log(w.t.Context(), "", 0)
	must(w.t, err)
	return all
}

// manyTasks is a file of n tasks with the ids t0, t1, ...
func manyTasks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "* TODO Task %d\n:PROPERTIES:\n:ID: t%d\n:END:\nA line of it, ünïcode.\n", i, i)
	}
	return b.String()
}

// TestGroupSharesSyncs: claims that wait together are as many syncs as one, and each is a commit
// of its agent.
func TestGroupSharesSyncs(t *testing.T) {
	const agents = 16
	w := newWorld(t, map[string]string{"tasks.org": manyTasks(agents + 1)})
	var syncs atomic.Int64
	count := func(op faultfs.Op) error {
		if op.Kind == faultfs.OpSync || op.Kind == faultfs.OpSyncDir {
			syncs.Add(1)
		}
		return nil
	}
	w.folder.OnOp(count)
	w.disk.OnOp(count)
	_, _, err := w.hive().Claim(as("zoe"), fmt.Sprint("t", agents), time.Hour, nil)
	must(t, err)
	alone := syncs.Swap(0)
	var ops []func()
	made := make([]chain.Commit, agents)
	for i := range agents {
		ops = append(ops, func() {
			var err error
			if _, made[i], err = w.hive().Claim(as(fmt.Sprint("a", i)), fmt.Sprint("t", i), time.Hour, nil); err != nil {
				t.Error(err)
			}
		})
	}
	w.together(ops...)
	if got := syncs.Load(); got != alone {
		t.Errorf("%d claims together are %d syncs, one is %d", agents, got, alone)
	}
	log := w.log()
	for i, c := range made {
		got := log[agents-1-i]
		if got.Seq != c.Seq || got.Author.Name != fmt.Sprint("a", i) || got.Changes != 1 && got.Changes != 2 || got.Session != fmt.Sprint("s-a", i) {
			t.Errorf("claim %d is commit %d, and the log has %+v", i, c.Seq, got)
		}
	}
	must(t, w.m.Ingest(t.Context(), nil))
	if now := w.log(); len(now) != len(log) {
		t.Errorf("the files are not what memory holds: %+v", now[0])
	}
}

// TestGroupJudges: an operation is judged by what those before it in the group leave.
func TestGroupJudges(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	var c1, c2, c3, again hive.Claim
	var errs [8]error
	w.together(
		func() { c1, _, errs[0] = w.hive().Claim(as("ada"), "hull", time.Hour, &scope.WriteOptions{Key: "k"}) },
		func() { c2, _, errs[1] = w.hive().Claim(as("bob"), "hull", time.Hour, nil) },
		func() { _, _, errs[2] = w.hive().Claim(as("bob"), "paint", time.Hour, nil) },
		func() {
			again, _, errs[3] = w.hive().Claim(as("ada"), "hull", time.Hour, &scope.WriteOptions{Key: "k"})
		},
	)
	must(t, errs[0])
	fails(t, errs[1], hive.ErrHeld, fault.Conflict)
	fails(t, errs[2], hive.ErrBlocked, fault.Conflict)
	if must(t, errs[3]); again != c1 || c2 != (hive.Claim{}) {
		t.Errorf("the same op claims %+v, and then %+v; bob has %+v", c1, again, c2)
	}
	w.together(
		func() { _, errs[0] = w.hive().Done(as("ada"), "hull", c1.Number, nil) },
		func() { c3, _, errs[1] = w.hive().Claim(as("bob"), "paint", time.Hour, nil) },
		func() { _, errs[2] = w.hive().Release(as("ada"), "paint", c1.Number, nil) },
		func() { _, _, errs[3] = w.hive().Claim(as("carl"), "hull", time.Hour, nil) },
		func() { _, errs[4] = w.hive().Release(as("bob"), "paint", c1.Number+1, nil) },
	)
	must(t, errs[0])
	must(t, errs[1])
	fails(t, errs[2], hive.ErrClaim, fault.Conflict)
	fails(t, errs[3], hive.ErrDone, fault.Conflict)
	if c3.Number != c1.Number+2 { // the commit of Done is between them
		t.Errorf("numbers %d and %d", c1.Number, c3.Number)
	}
	fails(t, errs[4], hive.ErrClaim, fault.Conflict)
}

// TestGroupOfSeveralFiles: a group changes several files, makes new ones, and reads what another
// program changed; one file that cannot be written refuses its own operations alone.
func TestGroupOfSeveralFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": manyTasks(2), "tasks/b.org": "* TODO B\n:PROPERTIES:\n:ID: b\n:END:\n",
		"tasks/c.org": "* TODO C\n:PROPERTIES:\n:ID: c\n:END:\n"})
	w.write("tasks/b.org", "* TODO B\n:PROPERTIES:\n:ID: b\n:END:\nfrom outside\n")
	f, err := w.folder.OpenFile("tasks/c.org", 0, 0)
	must(t, err)
	must(t, f.Chmod(0o444))
	must(t, f.Close())
	var errs [6]error
	var read []hive.Message
	w.together(
		func() { _, _, errs[0] = w.hive().Claim(as("ada"), "t0", time.Hour, nil) },
		func() {
			_, _, errs[1] = w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: "one", Body: "x", Known: true}, nil)
		},
		func() {
			_, _, errs[2] = w.hive().Send(as("carl"), hive.MessageSendRequest{To: "bob", Subject: "two", Body: "y", Known: true}, nil)
		},
		func() { read, _, _, errs[3] = w.hive().Read(as("bob"), nil) },
		func() { _, _, errs[4] = w.hive().Claim(as("bob"), "b", time.Hour, nil) },
		func() { _, _, errs[5] = w.hive().Claim(as("carl"), "c", time.Hour, nil) },
	)
	for _, err := range errs[:5] {
		must(t, err)
	}
	if errs[5] == nil || !strings.Contains(errs[5].Error(), "tasks/c.org") {
		t.Errorf("a file that is read-only: %v", errs[5])
	}
	if len(read) != 2 || read[0].Subject != "one" || read[1].Subject != "two" || read[1].Body != "y" {
		t.Errorf("bob reads %+v", read)
	}
	if text := w.text("tasks/b.org"); !strings.Contains(text, "from outside") || !strings.Contains(text, ":CLAIMED_BY: bob") {
		t.Errorf("b.org: %s", text)
	}
	if n := len(w.hive().Inbox("bob", true)); n != 0 {
		t.Errorf("%d messages are unread", n)
	}
}

// groupModel drives two memories with the same operations: in groups, and one by one.
type groupModel struct {
	t      testing.TB
	group  *world
	single *world
	claims []hive.Claim // made so far
	sent   int
}

// TestGroupModel: operations in a group do what they do one by one.
func TestGroupModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{"tasks.org": "#+TODO: TODO NEXT | DONE\n" + manyTasks(2),
			"tasks/three.org": "* TODO Three\n:PROPERTIES:\n:ID: t2\n:DEPENDS_ON: t1\n:END:\n"}
		m := &groupModel{t: t, group: newWorld(t, files), single: newWorld(t, files)}
		for range rapid.IntRange(1, 6).Draw(rt, "rounds") {
			m.round(rt)
		}
		must(t, m.group.m.Close())
		must(t, m.single.m.Close())
	})
}

// round runs some operations in both memories and compares what they return and leave.
func (m *groupModel) round(t *rapid.T) {
	var ops []func(w *world) string
	for range rapid.IntRange(1, 6).Draw(t, "operations") {
		ops = append(ops, m.draw(t))
	}
	if rapid.IntRange(0, 3).Draw(t, "from outside") == 0 {
		name := rapid.SampledFrom([]string{"tasks.org", "tasks/three.org"}).Draw(t, "file")
		for _, w := range []*world{m.group, m.single} {
			text, _ := w.folder.ReadFile(name)
			w.write(name, string(text)+"Another line.\n")
		}
	}
	want, got := make([]string, len(ops)), make([]string, len(ops))
	var group []func()
	for i, op := range ops {
		want[i] = op(m.single)
		group = append(group, func() { got[i] = op(m.group) })
	}
	m.group.together(group...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("results (-one by one +as a group):\n%s", diff)
	}
	for _, name := range []string{"tasks.org", "tasks/three.org"} {
		one, _ := m.single.folder.ReadFile(name)
		all, _ := m.group.folder.ReadFile(name)
		if diff := cmp.Diff(string(one), string(all)); diff != "" || m.group.text(name) != m.single.text(name) {
			t.Fatalf("%s (-one by one +as a group):\n%s", name, diff)
		}
	}
	for _, task := range m.group.hive().Tasks(t.Context(), hive.Filter{}) {
		if !task.Claim.IsZero() && !slices.Contains(m.claims, task.Claim) {
			m.claims = append(m.claims, task.Claim)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "crash") == 0 {
		m.group.crash()
		m.single.crash()
	}
}

// draw returns an operation, which tells what came of it.
func (m *groupModel) draw(t *rapid.T) func(w *world) string {
	who, task := drawAgent.Draw(t, "who"), rapid.SampledFrom([]string{"t0", "t1", "t2"}).Draw(t, "task")
	c := hive.Claim{By: who, Number: 7}
	if len(m.claims) > 0 && rapid.IntRange(0, 4).Draw(t, "known") > 0 {
		c = rapid.SampledFrom(m.claims).Draw(t, "claim")
	}
	opts := &scope.WriteOptions{Key: rapid.SampledFrom([]string{"", "", "k1", "k2"}).Draw(t, "key")}
	if opts.Key != "" {
		opts.Key += who
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0, 1, 2:
		return func(w *world) string {
			c, _, err := w.hive().Claim(as(who), task, time.Hour, opts)
			return fmt.Sprintln("claim", task, c, err)
		}
	case 3:
		return func(w *world) string {
			_, err := w.hive().Release(as(c.By), task, c.Number, opts)
			return fmt.Sprintln("release", task, c, err)
		}
	case 4:
		return func(w *world) string {
			_, err := w.hive().Done(as(c.By), task, c.Number, nil)
			return fmt.Sprintln("done", task, c, err)
		}
	case 5:
		m.sent++
		subject := fmt.Sprint("message ", m.sent)
		return func(w *world) string {
			_, _, err := w.hive().Send(as(who), hive.MessageSendRequest{To: "bob", Subject: subject, Known: true}, nil)
			return fmt.Sprintln("send", subject, err)
		}
	}
	return func(w *world) string {
		read, left, _, err := w.hive().Read(as(who), nil)
		var subjects []string
		for _, r := range read {
			subjects = append(subjects, r.Subject)
		}
		return fmt.Sprintln("read", subjects, left, err)
	}
}
