// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// BenchmarkPeers prints what a write and a search take in Fovea, in server-memory and
// in mem0, at two sizes: each in a process of its own, one call after the other.
func BenchmarkPeers(b *testing.B) {
	for b.Loop() {
		for _, full := range []int{900, 4500} {
			files := foveatest.Size(full, full/45)
			m := generate(b, files)
			d := m.serve()
			d.overMCP(fmt.Sprintf("%d nodes", files*11))
			d.stop()
		}
		peers(b)
	}
}

// overMCP measures the tools that agents write and search with.
func (s *server) overMCP(size string) *spoken {
	fovea := speak(s.m.tb, s.m.daemonEnv(), s.m.program, "mcp", "--memex", s.m.dir, "--agent", "ada")
	fovea.measure(size+", MCP", "remember", calls(), func(i int) any {
		return map[string]any{"title": fmt.Sprint("Note over MCP ", i), "body": fmt.Sprint("What ", i, " says.")}
	})
	fovea.measure(size+", MCP", "recall", calls(), func(i int) any { return map[string]any{"query": fmt.Sprintf("cat-%02d", i%50)} })
	return fovea
}

// peers measures server-memory and mem0 where npm finds them.
func peers(t testing.TB) {
	modules, err := peerModules(t)
	if err != nil {
		t.Logf("server-memory and mem0: not measured, ../.ci/npm peers: %v", err)
		return
	}
	for _, full := range []int{10_000, 50_000} {
		n := foveatest.Size(full, full/1000)
		serverMemory(t, modules, n)
		mem0(t, modules, n)
	}
}

// peerModules returns the folder in which npm puts the peers.
func peerModules(t testing.TB) (string, error) {
	out, err := exec.CommandContext(t.Context(), "../.ci/npm", "peers").Output()
	return strings.TrimSpace(string(out)), err
}

// serverMemory measures @modelcontextprotocol/server-memory over a graph of n entities.
func serverMemory(t testing.TB, modules string, n int) {
	s := original(t, modules, graphFile(t, n))
	where := fmt.Sprintf("%d entities, server-memory", n)
	s.measure(where, "create_entities", calls(), func(i int) any {
		return map[string]any{"entities": []any{map[string]any{"name": fmt.Sprint("x-", i), "entityType": "note", "observations": []string{"says"}}}}
	})
	s.measure(where, "search_nodes", calls(), func(i int) any { return map[string]any{"query": fmt.Sprintf("says %d", n-1-i)} })
}

// mem0 measures the library mem0ai over n notes: with its default, a language model
// that makes notes of what it is told, and without. The model answers at once, from
// this process.
func mem0(t testing.TB, modules string, n int) {
	calls := foveatest.Size(20, 2) // each takes long
	model := httptest.NewServer(languageModel())
	t.Cleanup(model.Close)
	folder := t.TempDir()
	script, err := os.ReadFile("mem0.mjs")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "mem0.mjs"), script, 0o600)
	}
	if err == nil { // a module finds its packages from where it lies
		err = os.Symlink(modules, filepath.Join(folder, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	s := speak(t, append(os.Environ(), "HOME="+folder, "MEM0_TELEMETRY=false"), filepath.Join(modules, ".bin", "node"),
		filepath.Join(folder, "mem0.mjs"), folder, model.URL+"/v1")
	s.ask("tools/call", map[string]any{"name": "fill", "arguments": map[string]any{"count": n}})
	where := fmt.Sprintf("%d notes, mem0", n)
	for _, infer := range []bool{true, false} {
		s.measure(fmt.Sprintf("%s, infer %t", where, infer), "add", calls, func(i int) any {
			return map[string]any{"text": fmt.Sprintf("Note %t %d says.", infer, i), "infer": infer}
		})
	}
	s.measure(where, "search", calls, func(i int) any { return map[string]any{"query": fmt.Sprintf("cat-%02d", i%50)} })
}

// languageModel answers as OpenAI's interface does: a vector that follows from the
// text, and the last message as the one note that there is to keep.
func languageModel() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Input      any `json:"input"`
			Dimensions int `json:"dimensions"`
		}
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		texts, many := ask.Input.([]any)
		if !many {
			texts = []any{ask.Input}
		}
		var data []any
		for i, text := range texts {
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectorOf(fmt.Sprint(text), ask.Dimensions)})
		}
		answer(w, map[string]any{"object": "list", "data": data, "usage": map[string]int{}})
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var ask struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || len(ask.Messages) == 0 {
			http.Error(w, "no messages", http.StatusBadRequest)
			return
		}
		_, said, _ := strings.Cut(ask.Messages[len(ask.Messages)-1].Content, "user: ")
		said, _, _ = strings.Cut(said, "\n")
		note, err := json.Marshal(map[string]any{"memory": []any{map[string]any{"id": "0", "text": said, "attributed_to": "user"}}})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		message := map[string]any{"role": "assistant", "content": string(note)}
		answer(w, map[string]any{"object": "chat.completion", "choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": message}}})
	})
	return mux
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // who asked is gone
}

// vectorOf is a direction that follows from a text.
func vectorOf(text string, dims int) []float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	seed := float64(h.Sum64() % 100_003)
	v := make([]float64, dims)
	for i := range v {
		v[i] = math.Sin(seed + float64(i))
	}
	return v
}
