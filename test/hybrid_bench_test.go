// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/embed"
)

// BenchmarkHybrid searches 100,000 notes by words, and by words and vectors whose questions
// are known; then each search follows an edit. p95 is in microseconds.
func BenchmarkHybrid(b *testing.B) {
	const files, notes = 1000, 100
	dir := b.TempDir()
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 8, 40_000)
	words := func(n int) string {
		var text []string
		for range n {
			text = append(text, fmt.Sprintf("w%dx", zipf.Uint64()))
		}
		return strings.Join(text, " ")
	}
	for f := range files {
		var text strings.Builder
		for n := range notes {
			fmt.Fprintf(&text, "* Note %d %s\n%s.\n", f*notes+n, words(3), words(16))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%04d.org", f)), []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	connect := func(context.Context) (embed.Embedder, error) { return topics{}, nil }
	m, err := fovea.Open(b.Context(), dir, &fovea.Options{StateDir: b.TempDir(), Embedder: connect})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	if err := m.Ingest(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	if err := m.Meaning().Fill(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	svc := api.WithSync(api.NewLocal(m, nil), api.SyncNone)
	var edited string
	var questions []string
	for n := range m.View().All() {
		if n.Parent != "" && len(questions) < 64 {
			questions = append(questions, strings.Join(strings.Fields(n.Body())[:6], " "))
		}
		edited = n.ID
	}
	for _, edits := range []bool{false, true} {
		for _, mode := range []string{"lexical", "hybrid"} {
			name := mode
			if edits {
				name += "/after an edit"
			}
			b.Run(name, func(b *testing.B) {
				var took []time.Duration
				for _, q := range questions {
					if _, err := api.OpSearch.Call(b.Context(), svc, api.SearchRequest{Text: q, Mode: mode}); err != nil {
						b.Fatal(err)
					}
				}
				for i := 0; b.Loop(); i++ {
					if edits {
						if _, err := m.Notes().Edit(b.Context(), edited, nil, document.ReplaceBody{Text: fmt.Sprintf("now %d\n", i)}); err != nil {
							b.Fatal(err)
						}
					}
					start := time.Now()
					hits, err := api.OpSearch.Call(b.Context(), svc, api.SearchRequest{Text: questions[i%len(questions)], Mode: mode})
					if took = append(took, time.Since(start)); err != nil || len(hits) == 0 {
						b.Fatal(err)
					}
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-us")
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
			})
		}
	}
}
