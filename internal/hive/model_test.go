// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/hive"
)

// claimed is the newest claim of a task, as a naive person keeps it.
type claimed struct {
	hive.Claim
	left time.Duration // of the lease, by a clock that never goes back
	over bool          // released
}

// held reports whether the claim is in force for sure: a clock that goes back and forth may
// lengthen a lease, and never shortens it.
func (c *claimed) held() bool { return c != nil && !c.over && c.left > 0 }

// taskModel drives a memory and the model with the same operations.
type taskModel struct {
	w       *world
	newest  map[string]*claimed
	old     map[string][]hive.Claim // every claim that was ever made
	done    map[string]bool
	lines   map[string]int // lines that landed below each task
	written int
}

var (
	modelTasks  = []string{"t1", "t2", "t3"}
	modelAgents = []string{"ada", "bob", "carl"}
	drawTask    = rapid.SampledFrom(modelTasks)
	drawAgent   = rapid.SampledFrom(modelAgents)
)

// TestTaskModel: one holder at a time, each number greater than those before, and no write under
// an old number lands, whatever clocks and crashes do.
func TestTaskModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &taskModel{newest: map[string]*claimed{}, old: map[string][]hive.Claim{}, done: map[string]bool{}, lines: map[string]int{}}
		m.w = newWorld(t, map[string]string{"tasks.org": "#+TODO: TODO NEXT | DONE\n* TODO One\n:PROPERTIES:\n:ID: t1\n:END:\n* TODO Two\n:PROPERTIES:\n:ID: t2\n" +
			":DEPENDS_ON: t1\n:END:\n", "tasks/three.org": "* TODO Three\n:PROPERTIES:\n:ID: t3\n:END:\n"})
		rt.Repeat(map[string]func(*rapid.T){
			"claim": m.claim, "renew": m.renew, "release": m.release, "end": m.end, "write": m.write, "write below": m.below,
			"time": m.pass, "back": m.back, "wait": m.wait, "crash": func(*rapid.T) { m.w.crash() }, "": m.check,
		})
		must(t, m.w.m.Close())
	})
}

func (m *taskModel) claim(t *rapid.T) {
	who, task := drawAgent.Draw(t, "who"), drawTask.Draw(t, "task")
	lease := time.Duration(rapid.IntRange(1, 600).Draw(t, "seconds")) * time.Second
	c, _, err := m.w.hive().Claim(as(who), task, lease, nil)
	blocked := m.done[task] || task == "t2" && !m.done["t1"]
	if now := m.newest[task]; err == nil {
		if now.held() || blocked {
			t.Fatalf("%s got %s, held as %+v", who, task, now)
		}
		m.hold(t, task, c, lease)
		return
	} else if (now == nil || now.over) && !blocked {
		t.Fatalf("%s: nobody holds %s: %v", who, task, err)
	}
}

// hold notes a claim that was made.
func (m *taskModel) hold(t *rapid.T, task string, c hive.Claim, lease time.Duration) {
	for _, o := range m.old[task] {
		if o.Number >= c.Number {
			t.Fatalf("%s has number %d after %d", task, c.Number, o.Number)
		}
	}
	m.newest[task] = &claimed{Claim: c, left: lease}
	m.old[task] = append(m.old[task], c)
}

// draw returns a claim that was made once, and what is expected of a write under it: 1 that it
// lands, -1 that it does not, 0 for either.
func (m *taskModel) draw(t *rapid.T) (task string, c hive.Claim, want int) {
	task = drawTask.Draw(t, "task")
	if len(m.old[task]) == 0 {
		return task, hive.Claim{By: drawAgent.Draw(t, "who"), Number: rapid.Uint64Range(1, 9).Draw(t, "number")}, -1
	}
	c = rapid.SampledFrom(m.old[task]).Draw(t, "claim")
	if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
		c.By = drawAgent.Draw(t, "who")
	}
	switch now := m.newest[task]; {
	case m.done[task], now.over, c.Number != now.Number, c.By != now.By:
		return task, c, -1
	case now.held():
		return task, c, 1
	}
	return task, c, 0
}

// expect compares the result of a write with what is expected.
func expect(t *rapid.T, what string, want int, err error) {
	if err != nil && want > 0 || err == nil && want < 0 {
		t.Fatalf("%s: %v, want %d", what, err, want)
	}
}

func (m *taskModel) renew(t *rapid.T) {
	task, c, want := m.draw(t)
	lease := time.Duration(rapid.IntRange(1, 600).Draw(t, "seconds")) * time.Second
	_, _, err := m.w.hive().Renew(as(c.By), task, c.Number, lease, nil)
	expect(t, fmt.Sprint("renew ", task, c), want, err)
	if err == nil {
		m.newest[task].left = lease
	}
}

func (m *taskModel) release(t *rapid.T) {
	task, c, want := m.draw(t)
	_, err := m.w.hive().Release(as(c.By), task, c.Number, nil)
	expect(t, fmt.Sprint("release ", task, c), want, err)
	if err == nil {
		m.newest[task].over = true
	}
}

func (m *taskModel) end(t *rapid.T) {
	task, c, want := m.draw(t)
	_, err := m.w.hive().Done(as(c.By), task, c.Number, nil)
	expect(t, fmt.Sprint("done ", task, c), want, err)
	m.done[task] = m.done[task] || err == nil
}

// write writes elsewhere under a claim.
func (m *taskModel) write(t *rapid.T) {
	task, c, want := m.draw(t)
	m.written++
	_, _, _, err := m.w.m.Notes().Remember(under(c.By, task, c.Number), "agents/"+c.By+"/", document.InsertHeadline{Title: fmt.Sprint("note ", m.written)}, nil)
	expect(t, fmt.Sprint("write ", task, c), want, err)
}

// below writes into a task without a number.
func (m *taskModel) below(t *rapid.T) {
	who, task := drawAgent.Draw(t, "who"), drawTask.Draw(t, "task")
	_, err := m.w.m.Notes().Edit(as(who), task, nil, document.AppendBody{Text: "a line"})
	now, want := m.newest[task], 0
	switch {
	case now == nil, now.over, m.done[task], now.By == who:
		want = 1
	case now.held():
		want = -1
	}
	expect(t, fmt.Sprint("below ", task, " by ", who), want, err)
	if err == nil {
		m.lines[task]++
	}
}

// pass lets time go by.
func (m *taskModel) pass(t *rapid.T) {
	d := time.Duration(rapid.SampledFrom([]int{0, 1, 10, 100, 400, 100_000}).Draw(t, "seconds")) * time.Second
	m.w.now = m.w.now.Add(d)
	for _, c := range m.newest {
		c.left -= d
	}
}

// back sets the clock back.
func (m *taskModel) back(t *rapid.T) {
	m.w.now = m.w.now.Add(-time.Duration(rapid.SampledFrom([]int{1, 30, 1000, 10_000_000}).Draw(t, "seconds")) * time.Second)
}

// wait asks for a task again after its lease: it is free by then, wherever the clock was set.
func (m *taskModel) wait(t *rapid.T) {
	task := drawTask.Draw(t, "task")
	now := m.newest[task]
	if m.done[task] || now == nil || now.over {
		return
	}
	if c, _, err := m.w.hive().Claim(as("zoe"), task, time.Second, nil); err == nil {
		if now.held() {
			t.Fatalf("%s was held as %+v", task, now)
		}
		m.hold(t, task, c, time.Second)
	}
	m.w.now = m.w.now.Add(600 * time.Second)
	for _, c := range m.newest {
		c.left -= 600 * time.Second
	}
	c, _, err := m.w.hive().Claim(as("zoe"), task, time.Second, nil)
	if err != nil {
		t.Fatalf("%s is not free after its lease: %v", task, err)
	}
	m.hold(t, task, c, time.Second)
}

// check compares what stands in files and lists with the model.
func (m *taskModel) check(t *rapid.T) {
	tasks := m.w.hive().Tasks(t.Context(), hive.Filter{All: true})
	if len(tasks) != len(modelTasks) {
		t.Fatalf("tasks %+v", tasks)
	}
	for _, task := range tasks {
		now := m.newest[task.ID]
		switch {
		case m.done[task.ID] != (task.Status == hive.Done), task.Status == hive.Done && !task.Claim.IsZero():
			t.Fatalf("%+v, done %v", task, m.done)
		case !m.done[task.ID] && now.held() && (task.Claim.By != now.By || task.Claim.Number != now.Number || task.Status != hive.InProgress),
			!task.Claim.IsZero() && (now == nil || now.over || task.Claim.Number != now.Number):
			t.Fatalf("%+v is held as %+v", task, now)
		}
		n, _ := m.w.m.View().Get(task.ID)
		if got := strings.Count(n.Content, "a line\n"); got != m.lines[task.ID] {
			t.Fatalf("%s has %d lines of %d", task.ID, got, m.lines[task.ID])
		}
	}
	if !slices.IsSortedFunc(tasks, func(a, b hive.Task) int { return strings.Compare(a.Path, b.Path) }) {
		t.Fatalf("the order of %+v", tasks)
	}
}
