// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

const benchHistory = 100_000 // commits, each with a block

func benchBlock(i int) []byte { return fmt.Appendf(nil, "block %d %0450d", i, i) }

// benchStore makes a history, all of it packed or none.
func benchStore(b *testing.B, packed bool) vfs.FS {
	folder := benchFolder(b)
	s := mustOpen(b, folder, nil)
	for i := 0; i < benchHistory; {
		var batch store.Batch
		for range 1000 {
			batch.Add(store.Block, benchBlock(i))
			batch.Add(store.Commit, fmt.Appendf(nil, "commit %0450d", i))
			i++
		}
		if _, err := s.Append(b.Context(), &batch); err != nil {
			b.Fatal(err)
		}
	}
	if packed {
		if err := s.Rewrite(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
	mustClose(b, s)
	return folder
}

// BenchmarkHistory finds blocks and commits of 100,000 in packs, beside the same
// in segments.
func BenchmarkHistory(b *testing.B) {
	for _, where := range []string{"pack", "journal"} {
		folder := benchStore(b, where == "pack")
		b.Run(where+"/first-block", func(b *testing.B) {
			for b.Loop() {
				s := mustOpen(b, folder, nil)
				if _, err := s.Block(merkle.Sum(benchBlock(7))); err != nil {
					b.Fatal(err)
				}
				mustClose(b, s)
			}
		})
		b.Run(where+"/first-10-commits", func(b *testing.B) {
			for b.Loop() {
				s := mustOpen(b, folder, nil)
				benchLog(b, s)
				mustClose(b, s)
			}
		})
		s := mustOpen(b, folder, nil)
		b.Run(where+"/block", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := s.Block(merkle.Sum(benchBlock(i * 7919 % benchHistory))); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(where+"/last-10-commits", func(b *testing.B) {
			for b.Loop() {
				benchLog(b, s)
			}
		})
		mustClose(b, s)
	}
}

func benchLog(b *testing.B, s *Store) {
	n := 0
	if err := s.Commits(b.Context(), store.Span{From: benchHistory - 9, To: benchHistory, Backward: true},
		func(store.Record) error { n++; return nil }); err != nil || n != 10 {
		b.Fatal(n, err)
	}
}

// BenchmarkRewrite writes the history anew.
func BenchmarkRewrite(b *testing.B) {
	folder := benchStore(b, true)
	s := mustOpen(b, folder, nil)
	defer s.Close()
	b.SetBytes(s.files.packs.packs[0].info.Size)
	for b.Loop() {
		if err := s.Rewrite(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
