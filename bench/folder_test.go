// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// BenchmarkColdFolder compares, on 2,000 files of 20,000 headlines, fovea from
// an empty state folder to a printed window, lexical index included, with
// Emacs reading and parsing the same files.
func BenchmarkColdFolder(b *testing.B) {
	program := foveatest.Part(b, "emacs")
	m := generate(b, foveatest.Size(2000, 20))
	m.window()
	m.remembered()
	m.emacs(program)
	for b.Loop() {
		var ours, theirs []run
		for range rounds() {
			m.forget()
			ours = append(ours, m.window())
			theirs = append(theirs, m.emacs(program))
		}
		fovea, emacs := median(ours, run.processor), median(theirs, run.processor)
		b.ReportMetric(ms(fovea), "fovea-cpu-ms")
		b.ReportMetric(ms(emacs), "emacs-cpu-ms")
		b.ReportMetric(float64(emacs)/float64(fovea), "emacs/fovea")
		b.ReportMetric(ms(median(ours, run.elapsed)), "fovea-wall-ms")
		b.ReportMetric(mib(median(ours, run.peak)), "fovea-rss-MiB")
		b.ReportMetric(mib(median(theirs, run.peak)), "emacs-rss-MiB")
	}
	b.ReportMetric(0, "ns/op") // of five pairs: says nothing
}

// BenchmarkWarmFolder reports how much longer than its mere start the program
// takes for a window when nothing in the 2,000 files changed.
func BenchmarkWarmFolder(b *testing.B) {
	m := generate(b, foveatest.Size(2000, 20))
	m.window()
	m.remembered()
	m.window() // reads the image; token counts are kept now
	start := func() run { return measure(b, m.env(), m.program, "--version") }
	start()
	for b.Loop() {
		var window, version []run
		for range foveatest.Size(21, 1) {
			window = append(window, m.window())
			version = append(version, start())
		}
		more := func(f func(run) time.Duration) float64 { return ms(median(window, f) - median(version, f)) }
		b.ReportMetric(more(run.elapsed), "more-wall-ms")
		b.ReportMetric(more(run.processor), "more-cpu-ms")
		b.ReportMetric(ms(median(version, run.elapsed)), "start-wall-ms")
		b.ReportMetric(ms(median(version, run.processor)), "start-cpu-ms")
		b.ReportMetric(mib(median(window, run.peak)), "fovea-rss-MiB")
	}
	b.ReportMetric(0, "ns/op")
}

// TestBothSidesReadTheSame runs each side once on a small folder: a comparison
// is worth nothing when one of them reads less.
func TestBothSidesReadTheSame(t *testing.T) {
	program := foveatest.Part(t, "emacs")
	m := generate(t, 20)
	first := m.window()
	m.remembered()
	if again := m.window(); again.out != first.out {
		t.Errorf("the window from the image differs from that from the folder:\n%s\n%s", first.out, again.out)
	}
	m.emacs(program)
}
