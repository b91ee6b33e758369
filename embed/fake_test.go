// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fakeServer speaks each shape as the real servers do, and misbehaves where a test says
// so. Its vectors are functions of the text.
type fakeServer struct {
	*httptest.Server
	mu       sync.Mutex
	kind     string
	dim      int
	maxWords int // longer texts are refused with tooLong
	tooLong  int // a status; 0 truncates silently, -1 closes the connection
	seed     string
	key      string
	digest   string
	requests [][]string // the texts of each request
	// twist changes an answer; one that is written whole returns false.
	twist func(w http.ResponseWriter, texts []string, reply map[string]any) bool
}

func newFake(tb testing.TB, kind string) *fakeServer {
	f := &fakeServer{kind: kind, dim: 16, maxWords: 300, tooLong: http.StatusBadRequest, digest: "d1"}
	f.Server = httptest.NewServer(f)
	tb.Cleanup(f.Close)
	return f
}

// vector is what the fake model makes of a text.
func (f *fakeServer) vector(text string) []float32 {
	v := make([]float32, f.dim)
	for word := range strings.FieldsSeq(text) {
		for i := range v {
			v[i] += float32(int32(hash64(f.seed+word+fmt.Sprint(i)))) / (1 << 31)
		}
	}
	return v
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.key != "" && r.Header.Get("Authorization") != "Bearer "+f.key {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, "wrong key %s", r.Header.Get("Authorization"))
		return
	}
	switch f.kind + " " + r.URL.Path {
	case "ollama /api/tags":
		reply(w, map[string]any{"models": []any{map[string]any{"name": "tiny:latest", "digest": f.digest}}})
	case "ollama /api/show":
		reply(w, map[string]any{"model_info": map[string]any{"bert.context_length": 512, "general.name": "tiny"}})
	case "openai /v1/models":
		reply(w, map[string]any{"data": []any{map[string]any{"id": "tiny"}}})
	case "tei /info":
		reply(w, map[string]any{"model_id": "tiny", "model_sha": f.digest, "max_input_length": 512})
	case "ollama /api/embed", "openai /v1/embeddings", "tei /embed":
		f.embed(w, r)
	default:
		http.NotFound(w, r)
	}
}

func reply(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(err)
	}
}

func (f *fakeServer) embed(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model         string
		Input, Inputs []string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	texts := append(in.Input, in.Inputs...)
	f.requests = append(f.requests, slices.Clone(texts))
	tokens := 0
	vectors := make([]any, len(texts))
	for i, text := range texts {
		words := strings.Fields(text)
		if len(words) > f.maxWords {
			switch f.tooLong {
			case -1:
				panic(http.ErrAbortHandler)
			case 0:
				words = words[:f.maxWords]
			default:
				http.Error(w, "the input length exceeds the context length", f.tooLong)
				return
			}
		}
		tokens += len(words)
		vectors[i] = f.vector(strings.Join(words, " "))
	}
	out := map[string]any{"model": in.Model, "vectors": vectors, "tokens": tokens}
	if f.twist == nil || f.twist(w, texts, out) {
		f.write(w, out)
	}
}

// write sends an answer in the shape of the server; OpenAI's in descending order.
func (f *fakeServer) write(w http.ResponseWriter, out map[string]any) {
	vectors := out["vectors"].([]any)
	switch f.kind {
	case "ollama":
		reply(w, map[string]any{"model": out["model"], "embeddings": vectors, "prompt_eval_count": out["tokens"]})
	case "tei":
		reply(w, vectors)
	case "openai":
		data := []any{}
		for i, v := range vectors {
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		slices.Reverse(data)
		if change, ok := out["data"].(func([]any)); ok {
			change(data)
		}
		reply(w, map[string]any{"model": out["model"], "data": data, "usage": map[string]any{"prompt_tokens": out["tokens"]}})
	}
}

// set changes the server between requests.
func (f *fakeServer) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// asked returns the requests since the last call.
func (f *fakeServer) asked() [][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	requests := f.requests
	f.requests = nil
	return requests
}
