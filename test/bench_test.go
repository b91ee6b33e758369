// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// generated makes a folder of files of ten headlines each and opens its
// memory, which has read nothing yet.
func generated(b *testing.B, files int) *world {
	b.Helper()
	w := &world{t: b, dir: b.TempDir(), state: filepath.Join(b.TempDir(), "state"), clock: time.Now().Add(time.Hour)}
	if err := foveatest.GenFiles(w.dir, files, 10); err != nil {
		b.Fatal(err)
	}
	w.open()
	b.Cleanup(func() { w.m.Close() })
	return w
}

// BenchmarkCold reads 2,000 files of 20,000 headlines into a new memory, makes
// its lexical index and closes it.
func BenchmarkCold(b *testing.B) {
	w := generated(b, 2000)
	for b.Loop() {
		w.ingest()
		if _, err := w.m.View().Search("gauge", 1, nil, time.Time{}); err != nil {
			b.Fatal(err)
		}
		w.m.Close()
		b.StopTimer()
		if err := os.RemoveAll(w.state); err != nil {
			b.Fatal(err)
		}
		w.open()
		b.StartTimer()
	}
}

// BenchmarkWarm opens the memory of a folder of 2,000 files in which nothing
// changed, scans the folder, searches, and closes it.
func BenchmarkWarm(b *testing.B) {
	w := generated(b, 2000)
	w.ingest()
	w.reopen()
	for b.Loop() {
		w.reopen()
		if _, err := w.ingest().Search("gauge", 1, nil, time.Time{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens the image of 11,000 nodes and verifies it, lexical index
// included.
func BenchmarkOpen(b *testing.B) {
	w := generated(b, 1000)
	w.ingest()
	for b.Loop() {
		b.StopTimer()
		w.m.Close()
		b.StartTimer()
		w.open()
	}
}

func BenchmarkGet(b *testing.B) {
	for _, files := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("%d", files*10), func(b *testing.B) {
			v := generated(b, files).ingest()
			var ids []string
			for n := range v.All() {
				ids = append(ids, n.ID)
			}
			i := 0
			for b.Loop() {
				i = (i + 7919) % len(ids)
				if _, ok := v.Get(ids[i]); !ok {
					b.Fatal("lost a node")
				}
			}
		})
	}
}

// BenchmarkWindow makes windows for changing focuses from 22,000 nodes, with
// the token counts of a first round in the cache; p95 is reported.
func BenchmarkWindow(b *testing.B) {
	m := generated(b, 2000)
	v := m.ingest()
	counter, err := token.Exact()
	if err != nil {
		b.Fatal(err)
	}
	var focus []string
	for n := range v.All() {
		if len(focus) < 200 && n.Derived.Level == 2 {
			focus = append(focus, n.ID)
		}
	}
	build := func(id string) {
		req := window.Request{Focus: id, Budget: 8000, Counter: counter, Cache: m.m.TokenCache()}
		if _, err := v.Window(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
	for _, id := range focus {
		build(id)
	}
	var took []time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		build(focus[i%len(focus)])
		took = append(took, time.Since(start))
		i++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkServedWindow makes the windows that the daemon's benchmark asks for: 2,000
// tokens for 200 focuses in turn, with what is known of them after a first round, at
// two sizes.
func BenchmarkServedWindow(b *testing.B) {
	for _, files := range []int{900, 4500} {
		b.Run(fmt.Sprint(11*files), func(b *testing.B) {
			m := generated(b, files)
			v := m.ingest()
			build := func(i int) {
				req := window.Request{Focus: fmt.Sprintf("node-%07d", i%200*7), Budget: 2000, Cache: m.m.TokenCache()}
				if _, err := v.Window(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
			for i := range 200 {
				build(i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				build(i)
			}
		})
	}
}

// BenchmarkReindex changes the title of one headline of a file of 1 MB, in an
// editor's place, and scans, commits and searches; and through Edit.
func BenchmarkReindex(b *testing.B) {
	per := 1
	for len(foveatest.GenFile(0, per)) < 1<<20 {
		per *= 2
	}
	text := foveatest.GenFile(0, per)[:1<<20]
	b.Run("file", func(b *testing.B) {
		w := &world{t: b, dir: b.TempDir(), state: filepath.Join(b.TempDir(), "state"), clock: time.Now().Add(time.Hour)}
		w.open()
		b.Cleanup(func() { w.m.Close() })
		middle := strings.Index(text[len(text)/2:], "\n* ") + len(text)/2
		n := 0
		for b.Loop() {
			b.StopTimer()
			n++
			w.write(map[string]string{"a.org": fmt.Sprintf("%s\n* Changed for the %dth time\n%s", text[:middle], n, text[middle+1:])})
			b.StartTimer()
			if hits, err := w.ingest().Search(fmt.Sprintf("changed %dth", n), 1, nil, time.Time{}); err != nil || len(hits) != 1 {
				b.Fatal(hits, err)
			}
		}
	})
	b.Run("edit", func(b *testing.B) {
		w := &world{t: b, dir: b.TempDir(), state: filepath.Join(b.TempDir(), "state"), clock: time.Now().Add(time.Hour)}
		w.open()
		b.Cleanup(func() { w.m.Close() })
		w.write(map[string]string{"a.org": text + "\n* Leaf\n:PROPERTIES:\n:ID: leaf\n:END:\n"})
		w.ingest()
		n := 0
		for b.Loop() {
			n++
			if _, err := w.m.Notes().Edit(b.Context(), "leaf", nil, document.SetTitle{Title: fmt.Sprintf("Changed for the %dth time", n)}); err != nil {
				b.Fatal(err)
			}
			if hits, err := w.m.View().Search(fmt.Sprintf("changed %dth", n), 1, nil, time.Time{}); err != nil || len(hits) != 1 {
				b.Fatal(hits, err)
			}
		}
	})
}

// BenchmarkVerify proves a memory of 11,000 nodes from its bytes.
func BenchmarkVerify(b *testing.B) {
	w := generated(b, 1000)
	w.ingest()
	for b.Loop() {
		if _, problems, err := w.m.Mending().Verify(b.Context()); err != nil || len(problems) > 0 {
			b.Fatal(problems, err)
		}
	}
}
