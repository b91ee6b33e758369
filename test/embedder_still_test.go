// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/meaning"
)

// embedding is an embedder made of a function.
type embedding func(ctx context.Context, text string) ([]float32, error)

func (embedding) Model() embed.Model {
	return embed.Model{Name: "embedding", Fingerprint: "embedding", Dim: 2}
}

func (e embedding) Embed(ctx context.Context, _ embed.Purpose, texts []string) ([]embed.Result, error) {
	out := make([]embed.Result, len(texts))
	for i, text := range texts {
		var err error
		if out[i].Vector, err = e(ctx, text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TestEmbedderDelaysNothing proves, by a clock that moves only while somebody waits, that
// an embedder which hangs, is slow, fails or lies delays writes, searches and windows by no
// time at all, and that no note is lost by it.
func TestEmbedderDelaysNothing(t *testing.T) {
	for name, e := range map[string]embedding{
		"hangs": func(ctx context.Context, _ string) ([]float32, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"slow": func(ctx context.Context, _ string) ([]float32, error) {
			select {
			case <-time.After(time.Minute):
				return []float32{1, 0}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		"fails": func(context.Context, string) ([]float32, error) { return nil, embed.ErrUnavailable },
		"lies":  func(context.Context, string) ([]float32, error) { return nil, embed.ErrDimension },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { delaysNothing(t, e) })
		})
	}
}

func delaysNothing(t *testing.T, e embedding) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.org"), []byte("* The old boat\nlies in the shed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	connect := func(context.Context) (embed.Embedder, error) { return e, nil }
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: t.TempDir(), Embedder: connect})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); m.Meaning().Run(ctx) }()
	svc, start := api.NewLocal(m, nil), time.Now()
	for i := range 20 {
		word := fmt.Sprintf("word%d", i)
		_, err := api.OpRemember.Call(ctx, svc, api.RememberRequest{Title: "A note with " + word})
		for _, mode := range []string{"", meaning.Lexical} {
			hits, searchErr := api.OpSearch.Call(ctx, svc, api.SearchRequest{Text: word, Mode: mode})
			if err = errors.Join(err, searchErr); len(hits) == 0 || !strings.HasSuffix(hits[0].Title, word) {
				t.Errorf("mode %q finds %v by %s", mode, hits, word)
			}
		}
		w, windowErr := api.OpContext.Call(ctx, svc, api.ContextRequest{Question: word})
		if err = errors.Join(err, windowErr); err != nil || !strings.Contains(w.Text, word) {
			t.Fatal(err, w)
		}
	}
	if took := time.Since(start); took != 0 {
		t.Errorf("the embedder delayed 80 requests by %v", took)
	}
	stop()
	<-ended
}

// TestWaitingForTheEmbedderTakesNoTurn: while as many windows as are made at a time wait for the
// embedder, a search by words is answered at once.
func TestWaitingForTheEmbedderTakesNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "notes.org"), []byte("* The old boat\nlies in the shed\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		hangs := embedding(func(ctx context.Context, _ string) ([]float32, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		m, err := fovea.Open(t.Context(), dir, &fovea.Options{
			StateDir: t.TempDir(), Embedder: func(context.Context) (embed.Embedder, error) { return hangs, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		svc, start := api.NewLocal(m, &api.LocalOptions{AtOnce: 1, EmbedTimeout: 300 * time.Millisecond}), time.Now()
		var windows sync.WaitGroup
		for _, question := range []string{"boat", "shed"} {
			windows.Go(func() {
				if _, err := api.OpContext.Call(t.Context(), svc, api.ContextRequest{Question: question}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		hits, err := api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "boat", Mode: meaning.Lexical})
		if took := time.Since(start); len(hits) != 1 || err != nil || took != 0 {
			t.Errorf("%d hits after %v: %v", len(hits), took, err)
		}
		windows.Wait()
		if took := time.Since(start); took != 300*time.Millisecond {
			t.Errorf("two windows took %v", took)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestVectorsAfterFilters proves that filters, moments and deletions come before the scan of
// the vectors: what they leave is found although hundreds of others are nearer.
func TestVectorsAfterFilters(t *testing.T) {
	var near, rest strings.Builder
	for i := range 600 {
		fmt.Fprintf(&near, "* Near %d\nangle %d.\n", i, 5+i%9)
	}
	for i := range 3000 {
		fmt.Fprintf(&rest, "* Far %d\nangle %d.\n", i, 80+i%20)
	}
	for i := range 5 {
		fmt.Fprintf(&rest, "* Rare %d :rare:\nangle %d.\n", i, 20+i)
	}
	connect := func(context.Context) (embed.Embedder, error) { return embedding(angle), nil }
	dir := t.TempDir()
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: t.TempDir(), Embedder: connect})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	hold := func(text string) uint64 {
		t.Helper()
		err := os.WriteFile(filepath.Join(dir, "notes.org"), []byte(text), 0o600)
		err = errors.Join(err, m.Ingest(t.Context(), &fovea.IngestOptions{AcceptDeletions: true}), m.Meaning().Fill(t.Context(), nil))
		if err != nil {
			t.Fatal(err)
		}
		return m.View().Head().Seq
	}
	svc := api.NewLocal(m, nil)
	found := func(req api.SearchRequest) (titles []string) {
		t.Helper()
		req.Text, req.Mode, req.Limit = "angle 0.", meaning.Semantic, 5
		hits, err := api.OpSearch.Call(t.Context(), svc, req)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			titles = append(titles, strings.Fields(h.Title)[0])
		}
		return titles
	}
	is := func(step, title string, titles []string) {
		t.Helper()
		if len(titles) != 5 || slices.ContainsFunc(titles, func(s string) bool { return s != title }) {
			t.Errorf("%s: found %q, want five times %s", step, titles, title)
		}
	}
	first := hold(near.String() + rest.String())
	is("all", "Near", found(api.SearchRequest{}))
	is("filter", "Rare", found(api.SearchRequest{Query: "tags:rare"}))
	hold(near.String() + rest.String() + strings.Repeat("* Late\nangle 0.\n", 5))
	is("added", "Late", found(api.SearchRequest{}))
	is("before", "Near", found(api.SearchRequest{At: fmt.Sprintf("seq:%d", first)}))
	hold(rest.String())
	is("deleted", "Rare", found(api.SearchRequest{}))
}

// angle gives a text that says "angle N." the direction of N degrees.
func angle(_ context.Context, text string) ([]float32, error) {
	var degrees float64
	_, after, _ := strings.Cut(text, "angle ")
	_, _ = fmt.Sscanf(after, "%f", &degrees)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(cos), float32(sin)}, nil
}
