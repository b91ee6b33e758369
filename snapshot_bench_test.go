// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// BenchmarkSnapshot takes the automatic snapshot that goes before a change,
// from memories of 110 to 11,000 nodes.
func BenchmarkSnapshot(b *testing.B) {
	for _, files := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(files*11), func(b *testing.B) {
			dir := b.TempDir()
			if err := foveatest.GenFiles(dir, files, 10); err != nil {
				b.Fatal(err)
			}
			m, err := Open(b.Context(), dir, &Options{StateDir: filepath.Join(b.TempDir(), "state")})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { m.Close() })
			if err := m.Ingest(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
			// Equal states in a row make one snapshot, so two take turns.
			moments := [2]chain.Moment{*m.chain.Head(), *m.chain.Head()}
			moments[1].Commit.Root[0]++
			if n := moments[0].State.Len(); n != files*11 {
				b.Fatalf("the memory holds %d nodes", n)
			}
			var t snapshots
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				t.push(&moments[i&1])
				i++
			}
			if list := t.list(); len(list) != min(i, maxAutomatic) {
				b.Fatalf("%d snapshots after %d", len(list), i)
			}
		})
	}
}
