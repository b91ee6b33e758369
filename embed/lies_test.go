// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/fault"
)

// twistVectors makes a misbehaviour of a change of the vectors of documents.
func twistVectors(change func([]any) []any) func(http.ResponseWriter, []string, map[string]any) bool {
	return func(_ http.ResponseWriter, _ []string, out map[string]any) bool {
		out["vectors"] = change(out["vectors"].([]any))
		return true
	}
}

// TestLyingServers: wrong answers are named errors, and never vectors.
func TestLyingServers(t *testing.T) {
	write := func(status int, text string) func(http.ResponseWriter, []string, map[string]any) bool {
		return func(w http.ResponseWriter, _ []string, _ map[string]any) bool {
			w.Header().Set("Location", "http://example.invalid/")
			w.WriteHeader(status)
			fmt.Fprint(w, text)
			return false
		}
	}
	data := func(change func([]any)) func(http.ResponseWriter, []string, map[string]any) bool {
		return func(_ http.ResponseWriter, _ []string, out map[string]any) bool {
			out["data"] = change
			return true
		}
	}
	for name, c := range map[string]struct {
		kind  string // "" is each
		twist func(http.ResponseWriter, []string, map[string]any) bool
		want  error
	}{
		"too few":           {"", twistVectors(func(v []any) []any { return v[1:] }), ErrProtocol},
		"too many":          {KindTEI, twistVectors(func(v []any) []any { return append(v, v[0]) }), ErrProtocol},
		"none":              {"", twistVectors(func([]any) []any { return []any{} }), ErrProtocol},
		"another dimension": {"", twistVectors(func(v []any) []any { v[0] = []float32{1, 2}; return v }), ErrDimension},
		"no JSON":           {"", write(200, "<html>"), ErrProtocol},
		"cut short":         {"", write(200, `{"embeddings":[[1,`), ErrProtocol},
		"redirect":          {"", write(307, ""), ErrProtocol},
		"overloaded":        {"", write(503, "busy"), ErrUnavailable},
		"too many requests": {"", write(429, "slow down"), ErrUnavailable},
		"model gone":        {"", write(404, "model not found"), ErrUnavailable},
		"all refused":       {"", write(500, "out of memory"), ErrProtocol},
		"another model": {KindOllama, func(_ http.ResponseWriter, _ []string, out map[string]any) bool {
			out["model"] = "other"
			return true
		}, ErrModelChanged},
		"index out of range": {KindOpenAI, data(func(d []any) { d[0].(map[string]any)["index"] = 7 }), ErrProtocol},
		"index repeated":     {KindOpenAI, data(func(d []any) { d[0].(map[string]any)["index"] = 0 }), ErrProtocol},
		"index missing":      {KindOpenAI, data(func(d []any) { delete(d[0].(map[string]any), "index") }), ErrProtocol},
		"index negative":     {KindOpenAI, data(func(d []any) { d[0].(map[string]any)["index"] = -1 }), ErrProtocol},
		"base64":             {KindOpenAI, data(func(d []any) { d[0].(map[string]any)["embedding"] = "AACAPw==" }), ErrProtocol},
	} {
		for _, kind := range kinds {
			if c.kind != "" && c.kind != kind {
				continue
			}
			t.Run(kind+" "+name, func(t *testing.T) {
				f := newFake(t, kind)
				e := openFake(t, f, nil)
				f.set(func() { f.twist = c.twist })
				results, err := e.Embed(context.Background(), Document, []string{"a", "b"})
				if !errors.Is(err, c.want) || results != nil || fault.KindOf(err) == fault.Other {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if strings.Contains(fmt.Sprint(err), "\n") {
					t.Errorf("%q has several lines", err)
				}
			})
		}
	}
}

// TestServerThatLoads: a server that fails while it loads its model is not opened in another shape that it has too.
func TestServerThatLoads(t *testing.T) {
	f, alsoOpenAI := newFake(t, KindOllama), newFake(t, KindOpenAI)
	both := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			alsoOpenAI.ServeHTTP(w, r)
			return
		}
		f.ServeHTTP(w, r)
	}))
	t.Cleanup(both.Close)
	f.set(func() {
		f.twist = func(w http.ResponseWriter, _ []string, _ map[string]any) bool {
			http.Error(w, "loading the model", http.StatusInternalServerError)
			return false
		}
	})
	if e, err := Open(t.Context(), Config{Kind: KindAuto, URL: both.URL}); err == nil || !strings.Contains(err.Error(), "loading the model") {
		t.Fatalf("opened as %v, %v", e, err)
	}
	f.set(func() { f.twist = nil })
	e, err := Open(t.Context(), Config{Kind: KindAuto, URL: both.URL})
	if err != nil || e.Model().Kind != KindOllama {
		t.Errorf("opened as %v, %v", e, err)
	}
}

// TestBadVectors: a vector of zeros or with a value that is no number harms its text alone.
func TestBadVectors(t *testing.T) {
	for name, bad := range map[string]any{"zero": make([]float32, 16), "none": nil, "empty": []float32{}} {
		f := newFake(t, KindOpenAI)
		e := openFake(t, f, nil)
		f.set(func() { f.twist = twistVectors(func(v []any) []any { v[1] = bad; return v }) })
		results, err := e.Embed(context.Background(), Document, []string{"a", "b", "c"})
		if err != nil || results[0].Err != nil || !errors.Is(results[1].Err, ErrVector) || results[2].Err != nil {
			t.Errorf("%s: %v, %v", name, results, err)
		}
	}
}

// TestProbeFindsLiars: servers that cannot be opened.
func TestProbeFindsLiars(t *testing.T) {
	same := make([]float32, 16)
	same[0] = 1
	for name, c := range map[string]struct {
		change func(*fakeServer)
		config func(*Config)
		want   error
	}{
		"all vectors equal": {func(f *fakeServer) {
			f.twist = twistVectors(func(v []any) []any { v[0], v[1] = same, same; return v })
		}, nil, ErrProtocol},
		"unordered": {func(f *fakeServer) {
			f.twist = func(_ http.ResponseWriter, texts []string, out map[string]any) bool {
				v := out["vectors"].([]any)
				if texts[0] > texts[1] {
					v[0], v[1] = v[1], v[0]
				}
				return true
			}
		}, nil, ErrProtocol},
		"two dimensions": {func(f *fakeServer) {
			f.twist = twistVectors(func(v []any) []any { v[1] = []float32{1}; return v })
		}, nil, ErrProtocol},
		"huge vectors": {func(f *fakeServer) { f.dim = maxDim + 1 }, nil, ErrProtocol},
		"zeros": {func(f *fakeServer) {
			f.twist = twistVectors(func(v []any) []any { v[1] = make([]float32, 16); return v })
		}, nil, ErrVector},
		"no model":     {nil, func(c *Config) { c.Model = "large" }, ErrConfig},
		"no server":    {func(f *fakeServer) { f.Close() }, nil, ErrUnavailable},
		"another kind": {func(f *fakeServer) { f.kind = "coffee" }, nil, ErrUnavailable},
		"long prefix":  {nil, func(c *Config) { c.QueryPrefix = strings.Repeat("a b ", 1000) }, ErrConfig},
		"user in URL":  {nil, func(c *Config) { c.URL = "http://me:secret@localhost" }, ErrConfig},
		"no scheme":    {nil, func(c *Config) { c.URL = "localhost:11434" }, ErrConfig},
		"no URL":       {nil, func(c *Config) { c.URL = "" }, ErrConfig},
		"odd key":      {nil, func(c *Config) { c.Key = "secret\n" }, ErrConfig},
	} {
		f := newFake(t, KindTEI)
		if c.change != nil {
			c.change(f)
		}
		config := Config{Kind: KindTEI, URL: f.URL}
		if c.config != nil {
			c.config(&config)
		}
		_, err := Open(context.Background(), config)
		if !errors.Is(err, c.want) || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// FuzzResponse: any answer of any shape is as many vectors as texts, or an error.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		`[[1, 2.5], [1]]`, `{"embeddings":[[1],[2]],"prompt_eval_count":2}`, `{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":null}]}`,
		`{"data":[]}`, `null`, `[1e999]`,
	} {
		f.Add(seed)
	}
	var said string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, said) }))
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, text string) {
		said = text
		for _, sh := range shapes {
			r, err := newRemote(Config{URL: s.URL})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := sh.embed.vectors(t.Context(), r, "m", []string{"a", "b"}); (err == nil) != (len(got.vectors) == 2) {
				t.Errorf("%s: %v, %v", sh.kind, got, err)
			}
			if sh.rerank.path == "" {
				continue
			}
			if got, err := sh.rerank.scores(t.Context(), r, "m", "q", []string{"a", "b"}); (err == nil) != (len(got) == 2) {
				t.Errorf("%s: %v, %v", sh.kind, got, err)
			}
		}
	})
}
