// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

const benchCommit = 500 // bytes, as of a small edit

// median reports the median of the durations, which tells more than the mean
// where a disk is shared.
func median(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
}

// BenchmarkAppend compares a durable commit with what the system needs at
// least: writing the same bytes to a preallocated file and syncing its data.
func BenchmarkAppend(b *testing.B) {
	data := bytes.Repeat([]byte("x"), benchCommit)
	b.Run("raw", func(b *testing.B) {
		folder := benchFolder(b)
		f, err := folder.OpenFile("raw", os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		const ahead = 4 << 20
		var batch store.Batch
		batch.Add(store.Commit, data)
		frame := batch.Bytes()
		var took []time.Duration
		at, size := int64(0), int64(0)
		for b.Loop() {
			if at+int64(len(frame)) > size {
				if _, err := f.WriteAt(make([]byte, ahead), size); err != nil {
					b.Fatal(err)
				}
				size += ahead
			}
			start := time.Now()
			if _, err := f.WriteAt(frame, at); err != nil {
				b.Fatal(err)
			}
			if err := f.SyncData(); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
			at += int64(len(frame))
		}
		median(b, took)
	})
	b.Run("store", func(b *testing.B) {
		s := mustOpen(b, benchFolder(b), nil)
		defer s.Close()
		var took []time.Duration
		for b.Loop() {
			start := time.Now()
			var batch store.Batch
			batch.Add(store.Commit, data)
			if _, err := s.Append(b.Context(), &batch); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		median(b, took)
	})
	b.Run("store-64-writers", func(b *testing.B) {
		s := mustOpen(b, benchFolder(b), nil)
		defer s.Close()
		var left atomic.Int64
		left.Store(int64(b.N))
		var wg sync.WaitGroup
		b.ResetTimer()
		for range 64 {
			wg.Go(func() {
				for left.Add(-1) >= 0 {
					var batch store.Batch
					batch.Add(store.Commit, data)
					if _, err := s.Append(b.Context(), &batch); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	})
	b.Run("store-16MB", func(b *testing.B) {
		s := mustOpen(b, benchFolder(b), nil)
		defer s.Close()
		block := bytes.Repeat([]byte("y"), 64<<10)
		b.SetBytes(16 << 20)
		for b.Loop() {
			var batch store.Batch
			for range 256 {
				batch.Add(store.Block, block)
			}
			if _, err := s.Append(b.Context(), &batch); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchFolder(b *testing.B) vfs.FS {
	folder, err := OpenFolder(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { folder.Close() })
	return folder
}

// benchImage is about what 10,000 nodes take: 7 MB in a few sections.
func benchImage() store.Image {
	return store.Image{Seq: 1, Sections: []store.Section{
		{Name: "nodes", Data: bytes.Repeat([]byte("n"), 5<<20)},
		{Name: "map", Data: bytes.Repeat([]byte("m"), 1<<20)},
		{Name: "index", Data: bytes.Repeat([]byte("i"), 1<<20), Derived: true},
	}}
}

func BenchmarkImage(b *testing.B) {
	img := benchImage()
	b.Run("write", func(b *testing.B) {
		s := mustOpen(b, benchFolder(b), nil)
		defer s.Close()
		b.SetBytes(7 << 20)
		for b.Loop() {
			img.Seq++
			if err := s.WriteImage(img); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		s := mustOpen(b, benchFolder(b), nil)
		defer s.Close()
		if err := s.WriteImage(img); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(7 << 20)
		for b.Loop() {
			if _, err := s.LoadImage(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpen opens a store whose last segment is full: the longest scan that
// an open after an image needs.
func BenchmarkOpen(b *testing.B) {
	folder := benchFolder(b)
	s := mustOpen(b, folder, &Options{SegmentMin: 64 << 20})
	block := bytes.Repeat([]byte("z"), benchCommit)
	var last merkle.Digest
	for i := range 60 {
		var batch store.Batch
		for j := range 2000 {
			data := fmt.Append(block, i, j)
			batch.Add(store.Block, data)
			last = merkle.Sum(data)
		}
		if _, err := s.Append(b.Context(), &batch); err != nil {
			b.Fatal(err)
		}
	}
	size := s.End().Offset
	mustClose(b, s)
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			mustClose(b, mustOpen(b, folder, nil))
		}
	})
	b.Run("first-block", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			s := mustOpen(b, folder, nil)
			if _, err := s.Block(last); err != nil {
				b.Fatal(err)
			}
			mustClose(b, s)
		}
	})
}
