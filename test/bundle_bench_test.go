// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// BenchmarkBundle writes and reads the bundle of 1,000,000 nodes in 90,910 files, or of as many
// nodes as FOVEA_BUNDLE_NODES says; 10,000 with -short. beyond-MB is by how much what lives on the
// heap, collected 32 times in a second pass that is not timed, stood above what it was before.
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
	passes := map[string]func(b *testing.B, h *heapPeak) error{
		"write": func(b *testing.B, h *heapPeak) error {
			sources, release, err := w.m.Histories().Take(b.Context())
			if err != nil {
				return err
			}
			defer release()
			f, err := os.Create(name)
			if err == nil {
				_, err = place.WriteBundle(b.Context(), h.writer(f), sources)
			}
			return errors.Join(err, f.Close())
		},
		"read": func(b *testing.B, h *heapPeak) error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			dir, err := vfs.CreateDir(b.TempDir(), 0o700)
			if err == nil {
				_, err = place.ReadInto(b.Context(), vfs.Plain(dir), h.reader(f), "/memex")
			}
			return err
		},
	}
	for _, what := range []string{"write", "read"} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				h, begun := newHeapPeak(0), time.Now()
				err := passes[what](b, h)
				took := time.Since(begun)
				b.StopTimer()
				looked := newHeapPeak(h.bytes/32 + 1)
				if err = errors.Join(err, passes[what](b, looked)); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				b.ReportMetric(float64(h.bytes)/1e6/took.Seconds(), "MB/s")
				b.ReportMetric(float64(h.bytes)/1e6, "MB")
				b.ReportMetric(float64(looked.most-looked.before)/1e6, "beyond-MB")
			}
		})
	}
}

// heapPeak counts bytes that go by, and looks at the heap each time that some more have, unless
// step is 0.
type heapPeak struct {
	step, before, most, bytes, next uint64
}

func newHeapPeak(step uint64) *heapPeak {
	h := &heapPeak{step: step, next: 1}
	h.look()
	h.before = h.most
	return h
}

func (h *heapPeak) look() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	h.most = max(h.most, m.HeapAlloc)
}

func (h *heapPeak) add(n int) {
	if h.bytes += uint64(n); h.step > 0 && h.bytes >= h.next {
		h.next = h.bytes + h.step
		h.look()
	}
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
