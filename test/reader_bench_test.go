// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/document"
)

// BenchmarkReader looks nodes up among 110,000 while nobody writes, and while a writer
// edits files and commits without pause, and reports the time of a look-up, view
// included: p50 and p99. The two take turns of a tenth of a second.
func BenchmarkReader(b *testing.B) {
	w := generated(b, 10_000)
	v := w.ingest()
	var ids []string
	for n := range v.All() {
		ids = append(ids, n.ID)
	}
	var idle, busy []time.Duration
	for b.Loop() {
		for range 20 {
			idle = append(idle, lookups(b, w, ids)...)
			stop := make(chan struct{})
			var writer sync.WaitGroup
			writer.Go(func() { writeUntil(b, w, stop) })
			busy = append(busy, lookups(b, w, ids)...)
			close(stop)
			writer.Wait()
		}
	}
	slices.Sort(idle)
	slices.Sort(busy)
	for _, p := range []int{50, 99} {
		was, is := idle[len(idle)*p/100], busy[len(busy)*p/100]
		b.ReportMetric(float64(was), fmt.Sprintf("idle-p%d-ns", p))
		b.ReportMetric(float64(is), fmt.Sprintf("busy-p%d-ns", p))
		b.ReportMetric(float64(is)/float64(was), fmt.Sprintf("busy/idle-p%d", p))
	}
	b.ReportMetric(0, "ns/op")
}

// lookups times single look-ups for a tenth of a second.
func lookups(b *testing.B, w *world, ids []string) []time.Duration {
	var took []time.Duration
	for i, end := 0, time.Now().Add(100*time.Millisecond); ; i++ {
		id := ids[i*7919%len(ids)]
		begun := time.Now()
		_, ok := w.m.View().Get(id)
		now := time.Now()
		if !ok {
			b.Error("lost a node")
		}
		took = append(took, now.Sub(begun))
		if now.After(end) {
			return took
		}
	}
}

// writeUntil edits one headline after the other.
func writeUntil(b *testing.B, w *world, stop chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		id := fmt.Sprintf("node-%07d", i*7919%100_000)
		if _, err := w.m.Notes().Edit(b.Context(), id, nil, document.SetTitle{Title: fmt.Sprint("Title ", time.Now().UnixNano())}); err != nil {
			b.Error(err)
			return
		}
	}
}
