// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/bundle"
	"github.com/fovea-memory/fovea/internal/remote"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// BenchmarkBundle writes and reads the bundle of 1,000,000 nodes in 90,910 files, or of as many
// nodes as FOVEA_BUNDLE_NODES says; 10,000 with -short. beyond-MB is by how much the heap, looked
// at after each 4 MB, stood above what it was before.
func BenchmarkBundle(b *testing.B) {
	nodes := 1_000_000
	if testing.Short() {
		nodes = 10_000
	}
	if text := os.Getenv("FOVEA_BUNDLE_NODES"); text != "" {
		var err error
		if nodes, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	w := generated(b, nodes/11+1)
	w.ingest()
	name := filepath.Join(b.TempDir(), "all.car")
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			sources, release, err := w.m.Histories().Take(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			f, err := os.Create(name)
			if err != nil {
				b.Fatal(err)
			}
			h, begun := newHeapPeak(), time.Now()
			_, err = bundle.Write(b.Context(), h.writer(f), sources)
			took := time.Since(begun)
			if release(); err != nil {
				b.Fatal(err)
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			h.report(b, took)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			f, err := os.Open(name)
			if err != nil {
				b.Fatal(err)
			}
			dir, err := vfs.CreateDir(b.TempDir(), 0o700)
			if err != nil {
				b.Fatal(err)
			}
			h, begun := newHeapPeak(), time.Now()
			_, err = remote.ReadInto(b.Context(), vfs.Plain(dir), h.reader(f), "/memex")
			if err != nil {
				b.Fatal(err)
			}
			h.report(b, time.Since(begun))
			f.Close()
		}
	})
}

// heapPeak looks at the heap while bytes go by.
type heapPeak struct {
	before, most, bytes, next uint64
}

func newHeapPeak() *heapPeak {
	runtime.GC()
	h := &heapPeak{}
	h.before = h.heap()
	return h
}

func (h *heapPeak) heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.most = max(h.most, m.HeapAlloc)
	return m.HeapAlloc
}

func (h *heapPeak) add(n int) {
	if h.bytes += uint64(n); h.bytes >= h.next {
		h.next = h.bytes + 4<<20
		h.heap()
	}
}

func (h *heapPeak) report(b *testing.B, took time.Duration) {
	h.heap()
	b.ReportMetric(float64(h.bytes)/1e6/took.Seconds(), "MB/s")
	b.ReportMetric(float64(h.bytes)/1e6, "MB")
	b.ReportMetric(float64(h.most-h.before)/1e6, "beyond-MB")
}

type counted func(p []byte) (int, error)

func (f counted) Write(p []byte) (int, error) { return f(p) }
func (f counted) Read(p []byte) (int, error)  { return f(p) }

func (h *heapPeak) writer(to io.Writer) io.Writer {
	return counted(func(p []byte) (int, error) {
		n, err := to.Write(p)
		h.add(n)
		return n, err
	})
}

func (h *heapPeak) reader(from io.Reader) io.Reader {
	return counted(func(p []byte) (int, error) {
		n, err := from.Read(p)
		h.add(n)
		return n, err
	})
}
