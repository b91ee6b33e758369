// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"flag"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/view"
)

var (
	embedURL   = flag.String("embed", "", "BenchmarkQuality: search and windows use the vectors of the server at this `ADDRESS`")
	embedModel = flag.String("embedmodel", "", "BenchmarkQuality: the `NAME` of the model there, if it has several")
)

// flagged connects to the server that the flags name, once for all rows.
var flagged = sync.OnceValues(func() (embed.Embedder, error) {
	e, err := embed.Open(context.Background(), embed.Config{Kind: embed.KindAuto, URL: *embedURL, Model: *embedModel})
	return remember(e), err
})

// remembering asks an embedder for each text once, since many rows have the same.
type remembering struct {
	embed.Embedder
	mu    sync.Mutex
	known map[embed.Purpose]map[string]embed.Result
}

func remember(e embed.Embedder) *remembering {
	return &remembering{Embedder: e, known: map[embed.Purpose]map[string]embed.Result{embed.Document: {}, embed.Query: {}}}
}

func (r *remembering) Embed(ctx context.Context, p embed.Purpose, texts []string) ([]embed.Result, error) {
	out, missing := make([]embed.Result, len(texts)), []int{}
	r.mu.Lock()
	for i, text := range texts {
		known, ok := r.known[p][text]
		if known.Vector = slices.Clone(known.Vector); !ok {
			missing = append(missing, i)
		}
		out[i] = known
	}
	r.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	asked := make([]string, len(missing))
	for i, at := range missing {
		asked[i] = texts[at]
	}
	results, err := r.Embedder.Embed(ctx, p, asked)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, at := range missing {
		out[at] = results[i]
		results[i].Vector = slices.Clone(results[i].Vector)
		r.known[p][asked[i]] = results[i]
	}
	return out, nil
}

// ranked is the view that answers a question: by words, or by vectors too where the library
// was opened with an embedder.
func (o *opened) ranked(t testing.TB, question string) *view.View {
	t.Helper()
	if o.meaning == nil || question == "" {
		return o.view
	}
	return byVectors(t, o.meaning, o.view, meaning.Hybrid, question)
}

// byVectors is a view that ranks by vectors too, or by them alone.
func byVectors(t testing.TB, x *meaning.Vectors, v *view.View, mode, question string) *view.View {
	t.Helper()
	if _, err := x.Question(t.Context(), question, time.Minute); err != nil {
		t.Fatal(err)
	}
	by, err := meaning.View(t.Context(), x, v, meaning.Request{Mode: mode, Text: question, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// TestRemembering: each text is asked for once, in the order of the texts.
func TestRemembering(t *testing.T) {
	e := &counted{}
	r := remember(e)
	for _, tc := range []struct {
		texts []string
		asked int
	}{{[]string{"a", "bb"}, 2}, {[]string{"ccc", "a", "bb"}, 3}, {[]string{"bb", "ccc"}, 3}} {
		out, err := r.Embed(t.Context(), embed.Document, tc.texts)
		if err != nil || e.asked != tc.asked {
			t.Fatalf("%v: %v, %d texts were asked for, want %d", tc.texts, err, e.asked, tc.asked)
		}
		for i, text := range tc.texts {
			if got := out[i].Vector[0]; got != float32(len(text)) {
				t.Errorf("%q has the vector of a text of length %v", text, got)
			}
			out[i].Vector[0] = -1 // the caller owns it
		}
	}
}

// counted embeds a text as its length.
type counted struct{ asked int }

func (*counted) Model() embed.Model { return embed.Model{Name: "length", Dim: 1} }

func (c *counted) Embed(_ context.Context, _ embed.Purpose, texts []string) ([]embed.Result, error) {
	c.asked += len(texts)
	out := make([]embed.Result, len(texts))
	for i, text := range texts {
		out[i].Vector = []float32{float32(len(text))}
	}
	return out, nil
}

// TestTinyModel: search by a real model of random weights finds as much as by words alone,
// and not because its vectors are left out.
func TestTinyModel(t *testing.T) {
	server := foveatest.StartOllama(t)
	l := talkOf(t, 1, 20_000).asLibrary()
	words := ask(t, l, nil, true)
	for _, seed := range []uint64{1, 2} {
		server.Create(seed)
		e, err := embed.Open(t.Context(), embed.Config{Kind: embed.KindAuto, URL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		o := openMeaning(t, l, func(context.Context) (embed.Embedder, error) { return e, nil })
		f, alone := askOf(t, o, nil, true), newFigures()
		for _, q := range o.questions {
			alone.ranking(q.kind, o.nearest(t, q.text), q.gold)
		}
		for _, name := range []string{"R@10", "nDCG"} {
			t.Logf("seed %d: %s %.4f, by words %.4f, by vectors alone %.4f", seed, name, f.mean(name), words.mean(name), alone.mean(name))
			if lost := words.mean(name) - f.mean(name); lost > .01 {
				t.Errorf("seed %d: a model of random weights costs %.3f of %s", seed, lost, name)
			}
			if alone.mean(name) == 0 || alone.mean(name) > words.mean(name)-.2 {
				t.Errorf("seed %d: vectors alone have %s %.3f, so the test proves nothing", seed, name, alone.mean(name))
			}
		}
	}
}

// nearest returns the passages that are found by vectors alone.
func (o *opened) nearest(t testing.TB, question string) []string {
	t.Helper()
	only := *o
	only.view, only.meaning = byVectors(t, o.meaning, o.view, meaning.Semantic, question), nil
	return only.found(t, question, 10)
}
