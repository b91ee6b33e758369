// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

// meant opens a memory with the built-in embedder over a file.
func meant(t *testing.T, text string) (m *fovea.Memory, state string) {
	t.Helper()
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.org"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	connect := func(ctx context.Context) (embed.Embedder, error) { return embed.Open(ctx, embed.Config{}) }
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state, Embedder: connect})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	if err := errors.Join(m.Ingest(t.Context(), nil), m.Meaning().Fill(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	return m, state
}

// vectorFiles returns the bytes of the files of vectors.
func vectorFiles(t *testing.T, state string) (size int64) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(state, "vectors"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return size
}

// TestVectorsOfAMemory: notes have vectors, they are searched by, and go with a purge.
func TestVectorsOfAMemory(t *testing.T) {
	m, state := meant(t, "* The boiler\nIt was repaired on Monday.\n* The cat\nIt sleeps.\n* Secret\n"+secret+"\n")
	if s := m.Status(); s.PendingEmbeddings != 0 || !strings.HasPrefix(s.Embedder, "lexical, 3 ") {
		t.Errorf("%q, %d", s.Embedder, s.PendingEmbeddings)
	}
	v, err := meaning.View(t.Context(), m.Meaning(), view.Of(m.View()), meaning.Request{Mode: meaning.Semantic, Text: "repairs of boilers"})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := v.Search("repairs of boilers", 1, nil, time.Time{})
	if err != nil || len(hits) != 1 || hits[0].Node.Title() != "The boiler" || hits[0].Cosine <= 0 {
		t.Fatalf("%v, %+v", err, hits)
	}
	if vectorFiles(t, state) == 0 {
		t.Fatal("no vectors are kept")
	}
	if _, err := m.Notes().Forget(t.Context(), nodeTitled(t, m, "Secret"), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Mending().Purge(t.Context(), nil, secret, nil); err != nil {
		t.Fatal(err)
	}
	if size := vectorFiles(t, state); size != 0 {
		t.Errorf("%d bytes of vectors outlive a purge", size)
	}
	if err := m.Meaning().Fill(t.Context(), nil); err != nil || m.Meaning().Status().Vectors != 2 {
		t.Errorf("%v, %+v", err, m.Meaning().Status())
	}
}

func nodeTitled(t *testing.T, m *fovea.Memory, title string) string {
	t.Helper()
	n, err := m.View().Resolve(title)
	if err != nil {
		t.Fatal(err)
	}
	return n.ID
}

// topics embeds a text as noise around its topic: the first word that names one.
type topics map[string][]float32

func (topics) Model() embed.Model { return embed.Model{Name: "topics", Fingerprint: "topics", Dim: 64} }

func (t topics) Embed(_ context.Context, _ embed.Purpose, texts []string) ([]embed.Result, error) {
	out := make([]embed.Result, len(texts))
	for i, text := range texts {
		seed := merkle.SumText(text)
		r := rand.New(rand.NewPCG(uint64(seed[0])<<8|uint64(seed[1]), uint64(seed[2])))
		v := make([]float32, 64)
		for j := range v {
			v[j] = float32(r.NormFloat64())
		}
		for word, topic := range t {
			if strings.Contains(text, word) {
				for j := range v {
					v[j] = v[j]/4 + topic[j]
				}
			}
		}
		norm := 0.0
		for _, x := range v {
			norm += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(norm))
		}
		out[i].Vector = v
	}
	return out, nil
}

// TestNeighboursByMeaning proves that a window of the policy foveal shows in full what shares
// no word with the focus, and is near to it by its vector, and states how near.
func TestNeighboursByMeaning(t *testing.T) {
	topic := make([]float32, 64)
	for j := range topic {
		topic[j] = float32(1 - j%3)
	}
	var text strings.Builder
	text.WriteString("* Project :project:\n** Vessel\nthe hull leaks\n** Far away\nSHIP on a lake\n")
	for i := range 60 {
		fmt.Fprintf(&text, "** Note %d\nitem %d of %d\n", i, i*7, i*13)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.org"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, with := range []bool{true, false} {
		opts := &fovea.Options{StateDir: t.TempDir()}
		if with {
			opts.Embedder = func(context.Context) (embed.Embedder, error) { return topics{"hull": topic, "SHIP": topic}, nil }
		}
		m, err := fovea.Open(t.Context(), dir, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := m.Ingest(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if with {
			if err := m.Meaning().Fill(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		w, err := api.OpContext.Call(t.Context(), api.NewLocal(m, nil), api.ContextRequest{Policy: "foveal", Focus: "Vessel"})
		if err != nil {
			t.Fatal(err)
		}
		if shown := strings.Contains(w.Text, "SHIP on a lake"); shown != with || strings.Contains(w.Text, "item 7 of") {
			t.Errorf("with vectors %v:\n%s", with, w.Text)
		}
		if with && !regexp.MustCompile(`\* Far away\n:PROPERTIES:\n:ID: .*\n:SEMANTIC_SCORE: (0\.[789]\d|1\.00)\n`).MatchString(w.Text) {
			t.Errorf("the score is not stated:\n%s", w.Text)
		}
	}
}

// TestAnEarlierViewByMeaning proves that a view whose notes have changed since it was taken ranks by
// meaning all the same, though nobody makes the vectors of their former texts.
func TestAnEarlierViewByMeaning(t *testing.T) {
	dir := t.TempDir()
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "notes.org"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save("* Vessel\nthe hull leaks\n* Plan\nfirst\n")
	topic := make([]float32, 64)
	topic[1] = 1
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: t.TempDir(), Embedder: func(context.Context) (embed.Embedder, error) {
		return topics{"hull": topic, "SHIP": topic}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	before := m.View()
	save("* Vessel\nthe hull leaks\n* Plan\nsecond\n")
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	by, err := m.ByMeaning(t.Context(), before, "SHIP", true)
	if err != nil {
		t.Fatal(err)
	}
	if hits, err := by.Search("SHIP", 1, nil, time.Time{}); err != nil || len(hits) != 1 || hits[0].Node.Title() != "Vessel" {
		t.Errorf("%v, %v", hits, err)
	}
}
