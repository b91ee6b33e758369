// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// BenchmarkMillion reads 1,000,000 headlines in 10,000 files into a new memory, and
// reports what they take: time, memory, the collector's pauses, and that of a look-up.
// It runs with -million alone, and with -short on 1,000 headlines.
func BenchmarkMillion(b *testing.B) {
	if !*million && !testing.Short() {
		b.Skip("-million measures 1,000,000 headlines")
	}
	files, per := foveatest.Size(10_000, 100), foveatest.Size(100, 10)
	for b.Loop() {
		dir := b.TempDir()
		must(b, foveatest.GenFiles(dir, files, per))
		before := pauses()
		m, err := fovea.Open(b.Context(), dir, &fovea.Options{StateDir: b.TempDir()})
		must(b, err)
		took := spend(b, func() error { return m.Ingest(b.Context(), nil) })
		v := m.View()
		if want := files * (per + 1); v.Len() != want {
			b.Fatalf("%d nodes, want %d", v.Len(), want)
		}
		var ids []string
		for n := range v.All() {
			ids = append(ids, n.ID)
		}
		begun := time.Now()
		for i := range ids {
			if _, ok := v.Get(ids[i*7919%len(ids)]); !ok {
				b.Fatal("lost a node")
			}
		}
		b.ReportMetric(float64(time.Since(begun).Nanoseconds())/float64(len(ids)), "get-ns")
		b.ReportMetric(took.wallMS()/1000, "ingest-s")
		b.ReportMetric(took.processorMS()/1000, "ingest-cpu-s")
		reportMemory(b, before)
		must(b, m.Close())
	}
	b.ReportMetric(0, "ns/op")
}

// pauses returns how long the collector has stopped the program so far.
func pauses() debug.GCStats {
	s := debug.GCStats{PauseQuantiles: make([]time.Duration, 101)}
	debug.ReadGCStats(&s)
	return s
}

func reportMemory(b *testing.B, before debug.GCStats) {
	after := pauses()
	longest := time.Duration(0)
	for _, p := range after.Pause[:min(len(after.Pause), int(after.NumGC-before.NumGC))] {
		longest = max(longest, p)
	}
	b.ReportMetric(float64(longest.Microseconds()), "gc-longest-µs")
	b.ReportMetric(ms(after.PauseTotal-before.PauseTotal), "gc-all-ms")
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	b.ReportMetric(mib(int64(mem.HeapAlloc)), "live-MiB")
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	peak := usage.Maxrss
	if runtime.GOOS != "darwin" {
		peak *= 1024 // kilobytes everywhere else
	}
	b.ReportMetric(mib(peak), "peak-rss-MiB")
}
