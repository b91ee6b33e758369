// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestOllama runs the suite against a real server, by both of its interfaces.
func TestOllama(t *testing.T) {
	o := foveatest.StartOllama(t)
	o.Create(1)
	c := &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	config := Config{Kind: KindAuto, URL: o.URL, Now: c.now}
	own, err := Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	if m := own.Model(); m.Name != "tiny:latest" || m.Dim != foveatest.TinyDim || m.Kind != KindOllama ||
		own.(*server).limit != foveatest.TinyContext*3/4 {
		t.Errorf("%+v, limit %d", m, own.(*server).limit)
	}
	t.Run("suite", func(t *testing.T) { conform(t, own) })
	openAI, err := Open(context.Background(), Config{Kind: KindOpenAI, URL: o.URL + "/v1", Model: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if !openAI.(*server).probed.Load().counts {
		t.Error("the count of tokens was not found")
	}
	t.Run("suite by OpenAI's interface", func(t *testing.T) { conform(t, openAI) })
	if a, b := vectorOf(t, own, Query, "the red dog"), vectorOf(t, openAI, Query, "the red dog"); !alike(a, b) {
		t.Error("the two interfaces have different vectors")
	}
	_, err = Open(context.Background(), Config{Kind: KindOllama, URL: o.URL, Model: "nope"})
	if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "tiny:latest") {
		t.Errorf("unknown model: %v", err)
	}
	t.Run("refused", func(t *testing.T) { ollamaRefuses(t, own.(*server)) })
	t.Run("killed", func(t *testing.T) { ollamaKilled(t, o, own, c) })
	t.Run("replaced", func(t *testing.T) {
		o.Create(2)
		c.Time = c.Add(time.Hour)
		if _, err := own.Embed(context.Background(), Document, []string{"a"}); !errors.Is(err, ErrModelChanged) {
			t.Errorf("got %v", err)
		}
		again, err := Open(context.Background(), config)
		if err != nil || again.Model().Fingerprint == own.Model().Fingerprint {
			t.Errorf("opened again: %v", err)
		}
	})
}

// ollamaRefuses: a text over the limit of the model is refused, and embedded in parts
// where the estimate was wrong.
func ollamaRefuses(t *testing.T, s *server) {
	long := strings.TrimSpace(strings.Repeat("the red dog and the blue cat ", 150)) // 1,050 tokens
	_, err := s.ask(context.Background(), Document, []string{long})
	if refused, ok := errors.AsType[*refusal](err); !ok || !strings.Contains(refused.message, "context length") {
		t.Errorf("got %v", err)
	}
	p := []*part{{text: "a cat"}, {text: long}, {text: "a dog"}}
	if err := (&batcher{server: s}).send(context.Background(), p, 0); err != nil {
		t.Fatal(err)
	}
	for i, p := range p {
		if p.err != nil || p.truncated || len(p.vector) != foveatest.TinyDim {
			t.Errorf("part %d: %v, truncated %v", i, p.err, p.truncated)
		}
	}
}

// ollamaKilled: a killed server fails calls and nothing else, and is used again when it runs.
func ollamaKilled(t *testing.T, o *foveatest.Ollama, e Embedder, c *clock) {
	before := vectorOf(t, e, Query, "a cat")
	o.Kill()
	for range 2 {
		if _, err := e.Embed(context.Background(), Query, []string{"a cat"}); !errors.Is(err, ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	}
	o.Start()
	c.Time = c.Add(time.Minute)
	if after := vectorOf(t, e, Query, "a cat"); !slices.Equal(before, after) {
		t.Error("the vector changed with the process")
	}
}
