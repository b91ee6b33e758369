// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/hive"
)

// TestManyAgents: agents work side by side; each task is held by one at a time, and each message
// is read once.
func TestManyAgents(t *testing.T) {
	const agents, rounds = 8, 12
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	var holders, lines atomic.Int64
	var all sync.WaitGroup
	for i := range agents {
		all.Go(func() {
			me, next := fmt.Sprint("worker-", i), fmt.Sprint("worker-", (i+1)%agents)
			for n := range rounds {
				c, _, err := w.hive().Claim(as(me), "hull", time.Hour, nil)
				if err == nil {
					if holders.Add(1) != 1 {
						t.Error("two holders")
					}
					if _, err := w.m.Notes().Edit(under(me, "hull", c.Number), "hull", nil, document.AppendBody{Text: "a line"}); err != nil {
						t.Error(err)
					}
					lines.Add(1)
					holders.Add(-1)
					_, err = w.hive().Release(as(me), "hull", c.Number, nil)
				}
				if err != nil && !errors.Is(err, hive.ErrHeld) {
					t.Error(err)
				}
				if _, _, err := w.hive().Send(as(me), hive.MessageSendRequest{To: next, Subject: fmt.Sprint(me, " ", n), Known: true}, nil); err != nil {
					t.Error(err)
				}
				w.hive().Tasks(t.Context(), hive.Filter{})
				if _, err := w.hive().Agents(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	got := make([][]string, agents)
	for i := range agents {
		all.Go(func() {
			me := fmt.Sprint("worker-", i)
			for len(got[i]) < rounds && !t.Failed() {
				read, _, _, err := w.hive().Read(as(me), nil)
				if err != nil {
					t.Error(err)
				}
				for _, m := range read {
					got[i] = append(got[i], m.Subject)
				}
			}
		})
	}
	all.Wait()
	for i := range agents {
		var want []string
		for n := range rounds {
			want = append(want, fmt.Sprint("worker-", (i+agents-1)%agents, " ", n))
		}
		if !slices.Equal(got[i], want) {
			t.Errorf("worker-%d read %v", i, got[i])
		}
	}
	if n, _ := w.m.View().Get("hull"); strings.Count(n.Content, "a line\n") != int(lines.Load()) {
		t.Errorf("%d lines of %d", strings.Count(n.Content, "a line\n"), lines.Load())
	}
}

// BenchmarkClaim claims and releases a task in a real folder, durably; an operation is one of both.
func BenchmarkClaim(b *testing.B) {
	for _, tasks := range []int{1, 1000} {
		b.Run(fmt.Sprint(tasks, " tasks"), func(b *testing.B) {
			m := onDisk(b, tasks)
			took := make([]time.Duration, 0, b.N)
			for i := range b.N {
				task := fmt.Sprint("t", i%tasks)
				from := time.Now()
				c, _, err := fovea.HiveOf(m).Claim(as("ada"), task, time.Minute, nil)
				took = append(took, time.Since(from))
				must(b, err)
				b.StopTimer()
				_, err = fovea.HiveOf(m).Release(as("ada"), task, c.Number, nil)
				must(b, err)
				b.StartTimer()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

// BenchmarkSend sends a message and has it read, durably.
func BenchmarkSend(b *testing.B) {
	m := onDisk(b, 1)
	for i := range b.N {
		_, _, err := fovea.HiveOf(m).Send(as(fmt.Sprint("a", i/20)), hive.MessageSendRequest{To: "bob", Subject: "s", Body: "a line of text", Known: true}, nil)
		must(b, err)
		_, _, _, err = fovea.HiveOf(m).Read(as("bob"), nil)
		must(b, err)
	}
}

// onDisk is a memory of a real folder with tasks in files of 100.
func onDisk(b *testing.B, tasks int) *fovea.Memory {
	b.Helper()
	m, err := fovea.Open(b.Context(), b.TempDir(), &fovea.Options{StateDir: filepath.Join(b.TempDir(), "state")})
	must(b, err)
	b.Cleanup(func() { m.Close() })
	for i := range tasks {
		h := document.InsertHeadline{Title: fmt.Sprint("Task ", i), Todo: "TODO", Properties: []document.Property{{Key: "ID", Value: fmt.Sprint("t", i)}}}
		_, _, err := m.Notes().Insert(b.Context(), fmt.Sprintf("tasks/%d.org", i/100), h, nil)
		must(b, err)
	}
	b.ResetTimer()
	return m
}
