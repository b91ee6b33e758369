// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/window"
)

// topics is an embedder: one number of a vector for each thing that a text can be about.
type topics [][]string

func (t topics) Model() embed.Model {
	return embed.Model{Name: "topics", Kind: "own", Fingerprint: fmt.Sprintf("topics 1 %q", [][]string(t)), Dim: len(t) + 1}
}

func (t topics) Embed(_ context.Context, _ embed.Purpose, texts []string) ([]embed.Result, error) {
	results := make([]embed.Result, len(texts))
	for i, text := range texts {
		v := make([]float32, len(t)+1)
		v[len(t)] = 1 // about nothing known
		for topic, words := range t {
			for _, word := range words {
				if strings.Contains(strings.ToLower(text), word) {
					v[topic], v[len(t)] = 1, 0
				}
			}
		}
		results[i].Vector = v
	}
	return results, nil
}

// openWith opens a memory with an embedder of its own. That of a server is embed.Ollama(url, model).
func openWith(ctx context.Context, e embed.Embedder) (*fovea.Memory, error) {
	m, err := fovea.Open(ctx, "notes", &fovea.Options{
		StateDir: "state", Embedder: func(context.Context) (embed.Embedder, error) { return e, nil },
	})
	if err != nil {
		return nil, err
	}
	if err := m.Ingest(ctx, nil); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func Example_embedder() {
	defer begin()()
	ctx := context.Background()
	var others strings.Builder
	for i := range 60 {
		fmt.Fprintf(&others, "* Walk %d\nIt was a long walk to place %d and back.\n", i, i)
	}
	if err := os.WriteFile("notes/walks.org", []byte(others.String()), 0o644); err != nil {
		log.Fatal(err)
	}
	m, err := openWith(ctx, topics{{"rain", "weather"}, {"battery", "accumulator"}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	const question = "accumulator"
	v, err := m.ByMeaning(ctx, m.View(), question, true)
	if err != nil {
		log.Fatal(err)
	}
	hits, err := v.Search(question, 1, nil, m.View().Head().Time)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%s %.1f\n", h.Node.Title(), h.Cosine)
	}
	w, err := v.Window(ctx, window.Request{Question: question, Budget: 60})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(w.Text, "8.7 months"))
	// Output:
	// Rain gauge 0.7
	// true
}

// A window of a question in other words shows the note only by the vectors.
func TestOwnEmbedder(t *testing.T) {
	defer begin()()
	for i := range 60 {
		text := fmt.Sprintf("* Walk %d\nIt was a long walk to place %d and back.\n", i, i)
		if i == 59 {
			text = "* Store\nThe battery is on the upper shelf.\n"
		}
		if err := os.WriteFile(fmt.Sprintf("notes/w%02d.org", i), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := openWith(t.Context(), topics{{"rain", "weather"}, {"battery", "accumulator"}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	by, err := m.ByMeaning(t.Context(), m.View(), "accumulator", true)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]fovea.View{"words": m.View(), "vectors": by} {
		hits, err := v.Search("accumulator", 3, nil, m.View().Head().Time)
		if err != nil {
			t.Fatal(err)
		}
		text, err := ask(t.Context(), v, "accumulator")
		if err != nil {
			t.Fatal(err)
		}
		if found, shown := len(hits) > 0, strings.Contains(text, "upper shelf"); found != (name == "vectors") || shown != found {
			t.Errorf("by %s: found %v, shown %v", name, found, shown)
		}
	}
}

// few answers with fewer results than texts.
type few struct{ topics }

func (f few) Embed(ctx context.Context, p embed.Purpose, texts []string) ([]embed.Result, error) {
	results, err := f.topics.Embed(ctx, p, texts)
	return results[1:], err
}

// An embedder that breaks its contract is an error, and words still answer.
func TestWrongEmbedder(t *testing.T) {
	defer begin()()
	m, err := openWith(t.Context(), few{topics{{"battery"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.ByMeaning(t.Context(), m.View(), "battery", true); !errors.Is(err, embed.ErrProtocol) || fovea.KindOf(err) != fovea.Unreachable {
		t.Errorf("%v", err)
	}
	if hits, err := m.View().Search("battery", 1, nil, m.View().Head().Time); err != nil || len(hits) != 1 {
		t.Errorf("%v, %v", hits, err)
	}
}
