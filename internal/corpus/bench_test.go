// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// generated creates 2,000 files of 10 headlines, perFolder of them in each folder.
func generated(b *testing.B, perFolder int) string {
	dir := b.TempDir()
	const files = 2000
	for f := range files {
		folder := filepath.Join(dir, fmt.Sprintf("d%03d", f/perFolder))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%05d.org", f)), []byte(foveatest.GenFile(f, 10)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// readAll scans the memex and reads every file.
func readAll(b *testing.B, r *Root) (Scan, *Table) {
	s, err := r.Scan(b.Context(), nil, time.Now().Add(time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	var read []Entry
	var bytes int64
	for _, f := range s.Changed {
		text, as, err := r.Read(f.Path, 0)
		if err != nil {
			b.Fatal(err)
		}
		bytes += int64(len(text))
		read = append(read, Entry{File: as, Digest: sha256.Sum256([]byte(text))})
	}
	b.SetBytes(bytes)
	return s, s.Table(nil, read)
}

func BenchmarkScanUnchanged(b *testing.B) {
	for _, perFolder := range []int{2000, 20} {
		b.Run(fmt.Sprintf("2000 files, %d per folder", perFolder), func(b *testing.B) {
			r, err := Open(generated(b, perFolder), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			_, table := readAll(b, r)
			b.SetBytes(0)
			b.ReportAllocs()
			for b.Loop() {
				s, err := r.Scan(b.Context(), table, time.Now())
				if err != nil || len(s.Changed) > 0 || len(s.Files) != 2000 {
					b.Fatal(len(s.Files), len(s.Changed), err)
				}
			}
		})
	}
}

func BenchmarkReadAll(b *testing.B) {
	r, err := Open(generated(b, 20), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for b.Loop() {
		readAll(b, r)
	}
}

func BenchmarkTable(b *testing.B) {
	var entries []Entry
	for i := range 10_000 {
		entries = append(entries, Entry{File: File{Path: fmt.Sprintf("projects/%03d/f%05d.org", i/50, i), Size: int64(i)}, Scanned: 1})
	}
	table := NewTable(entries)
	data, err := table.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("marshal 10000", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := table.MarshalBinary(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unmarshal 10000", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if err := new(Table).UnmarshalBinary(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
