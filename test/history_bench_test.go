// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

// BenchmarkHistory reads what became of one node, which ten of 2,000 commits are
// about, and who brought each of its lines.
func BenchmarkHistory(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("%d.org", i)] = fmt.Sprintf("* Node %d\n:PROPERTIES:\n:ID: node-%03d\n:END:\n", i, i)
	}
	w := &world{t: b, dir: b.TempDir(), clock: time.Now().Add(time.Hour)}
	w.write(files)
	m, err := fovea.Open(b.Context(), w.dir, &fovea.Options{StateDir: b.TempDir(), Now: w.now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	if err := m.Ingest(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	const commits, every = 2000, 200
	for i := range commits {
		id := fmt.Sprintf("node-%03d", 1+i%99)
		if i%every == 0 {
			id = "node-000"
		}
		edit := document.SetTitle{Title: fmt.Sprint("Title ", i)}
		if _, err := m.Notes().Edit(b.Context(), id, nil, edit); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("log", func(b *testing.B) {
		for b.Loop() {
			if log, err := m.History().Log(b.Context(), "node-000", 0); err != nil || len(log) != 1+commits/every {
				b.Fatal(len(log), err)
			}
		}
	})
	b.Run("log of all", func(b *testing.B) {
		for b.Loop() {
			if log, err := m.History().Log(b.Context(), "", 0); err != nil || len(log) != 1+commits {
				b.Fatal(len(log), err)
			}
		}
	})
	b.Run("log of the last ten", func(b *testing.B) {
		for b.Loop() {
			if log, err := m.History().Log(b.Context(), "", 10); err != nil || len(log) != 10 {
				b.Fatal(len(log), err)
			}
		}
	})
	b.Run("blame", func(b *testing.B) {
		for b.Loop() {
			if _, _, _, err := m.History().Blame(b.Context(), nil, "node-000"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("op", func(b *testing.B) {
		c, _, err := m.Notes().Insert(b.Context(), "0.org", document.InsertHeadline{Title: "New"}, withKey("op"))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if again, _, err := m.Notes().Insert(b.Context(), "0.org", document.InsertHeadline{Title: "New"}, withKey("op")); err != nil ||
				again.Seq != c.Seq {
				b.Fatal(again, err)
			}
		}
	})
}
