// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// ollama speaks as an Ollama server does, with vectors of the words of a text, and answers
// nothing while it is silent.
type ollama struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string]int // requests by path
	silent atomic.Bool
	closed chan struct{}
}

func newOllama(t *testing.T) *ollama {
	o := &ollama{asked: map[string]int{}, closed: make(chan struct{})}
	o.Server = httptest.NewServer(o)
	t.Cleanup(func() {
		close(o.closed)
		o.Close()
	})
	return o
}

func (o *ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.asked[r.URL.Path]++
	o.mu.Unlock()
	if o.silent.Load() {
		select {
		case <-r.Context().Done():
		case <-o.closed:
		}
		return
	}
	var answer any
	switch r.URL.Path {
	case "/api/tags":
		answer = map[string]any{"models": []any{map[string]any{"name": "words:latest", "digest": "d"}}}
	case "/api/show":
		answer = map[string]any{"model_info": map[string]any{"bert.context_length": 512}}
	case "/api/embed":
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		vectors := make([][]float32, len(in.Input))
		for i, text := range in.Input {
			vectors[i] = vectorOf(text)
		}
		answer = map[string]any{"model": "words:latest", "embeddings": vectors}
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer) // the client may be gone
}

// requests returns how many requests of each path came since the last call.
func (o *ollama) requests() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	asked := o.asked
	o.asked = map[string]int{}
	return asked
}

// vectorOf is near to that of a text with some of the same words, or of the same letters in
// another order.
func vectorOf(text string) []float32 {
	v := make([]float32, 32)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		letters := []byte(word)
		slices.Sort(letters)
		h := fnv.New64a()
		_, _ = h.Write(letters)
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += float32(r.NormFloat64())
		}
	}
	return v
}

// Words that name things.
var things = strings.Fields("harbour keel rope tide lamp engine anchor chart crew sail mast rudder")

// note is the text of a note. Every second one names its thing backwards, so that it shares no
// word with the one before, and is near to it by its vector.
func note(i int) string {
	thing := things[i/2%len(things)]
	if i%2 == 1 {
		letters := []byte(thing)
		slices.Reverse(letters)
		thing = string(letters)
	}
	return fmt.Sprintf("* Entry%d%s\n:PROPERTIES:\n:ID: n%d\n:END:\n%s %s %s\n** Part%d\npart%d\n",
		i, []string{"", " :project:"}[i%7/6], i, thing, thing, thing, i, i)
}

// drawRequest draws a request for a window.
func drawRequest(r *rand.Rand, notes int) api.ContextRequest {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	req := api.ContextRequest{
		Policy: one("", "foveal", "foveal", "shares"), Format: one("", "org", "markdown", "json"), Budget: 300 + r.IntN(4000), Explain: r.IntN(3) == 0,
	}
	if r.IntN(3) > 0 {
		req.Focus = fmt.Sprintf("n%d", r.IntN(notes))
	}
	if r.IntN(2) == 0 {
		req.Question = fmt.Sprintf("what of the %s and the %s, %d", one(things...), one(things...), r.IntN(20))
	}
	if r.IntN(4) == 0 {
		req.Task = "mend the " + one(things...)
	}
	if r.IntN(3) == 0 {
		req.Threshold = float64(1+r.IntN(9)) / 10
	}
	return req
}

// said is what a caller gets: the answer or the error, and what it is warned of.
type said struct {
	Answer string // in JSON
	Err    string
	Warned []string
}

func sayContext(ctx context.Context, s api.Service, req api.ContextRequest) said {
	var got said
	w, err := api.OpContext.Call(ctx, s, req)
	if err != nil {
		got.Err = err.Error()
	}
	text, err := json.Marshal(w)
	if err != nil {
		got.Err += err.Error()
	}
	got.Answer = string(text)
	return got
}

// TestSameWindowWithDaemonAndWithout: random requests get the same window of a daemon and of a
// command that opens the memory itself, without an embedder, with one that answers, and with one
// that has fallen silent. Of the last, both say what the arm meaning lacks, and both still
// compare a focus with the vectors that are kept.
func TestSameWindowWithDaemonAndWithout(t *testing.T) {
	for _, notes := range []int{6, 90} { // of few vectors nothing tells what is chance
		windows := map[string]map[string]string{}
		for _, kind := range []string{"none", "fast", "silent"} {
			t.Run(fmt.Sprintf("%s %d", kind, notes), func(t *testing.T) {
				windows[kind] = sameWindows(t, kind, notes, foveatest.Size(500, 40))
			})
		}
		differ := 0
		for request, of := range windows["fast"] {
			if windows["silent"][request] != of {
				t.Errorf("%s: the vectors that are kept give another window:\n%s\nand\n%s", request, of, windows["silent"][request])
			}
			if windows["none"][request] != of {
				differ++
			}
		}
		if differ == 0 {
			t.Errorf("with %d notes, no window shows a neighbour of the focus by meaning", notes)
		}
	}
}

// sameWindows compares random requests, and returns the windows of a focus alone by request.
func sameWindows(t *testing.T, kind string, notes, requests int) map[string]string {
	h := build(t)
	for i := range notes {
		h.write(fmt.Sprintf("f%d/n%d.org", i%5, i), note(i))
	}
	server, opts := newOllama(t), api.LocalOptions{EmbedTimeout: time.Minute}
	if kind != "none" {
		h.embedder = config.Embed{Kind: embed.KindOllama, URL: server.URL}.Connector(h.config.StateDir)
		h.makeVectors()
	}
	if kind == "silent" {
		server.silent.Store(true)
		opts.EmbedTimeout = 20 * time.Millisecond
	}
	r := rand.New(rand.NewPCG(uint64(notes), 7))
	drawn, served := make([]api.ContextRequest, requests), make([]said, requests)
	h.start(func(o *daemon.Options) { o.Local = opts })
	for i := range drawn {
		drawn[i] = drawRequest(r, notes)
		h.warned = nil
		served[i] = sayContext(t.Context(), h.far.Service, drawn[i])
		served[i].Warned = h.warned
	}
	h.check(h.stop())
	ofFocus := map[string]string{}
	for i, req := range drawn {
		alone, request := h.alone(opts, req), fmt.Sprintf("%+v", req)
		asks := req.Question != "" || req.Task != ""
		for _, got := range []said{served[i], alone} {
			told := strings.Contains(strings.Join(got.Warned, "\n"), "the arm meaning")
			if want := kind == "silent" && got.Err == "" && (asks || req.Focus != ""); told != want {
				t.Fatalf("%s: told of the arm: %v, want %v: %q", request, told, want, got.Warned)
			}
		}
		served[i].Warned, alone.Warned = nil, nil // the one may be told of the question, the other of the server
		if diff := cmp.Diff(served[i], alone); diff != "" {
			t.Fatalf("%s (-with a daemon +without):\n%s", request, diff)
		}
		if !asks {
			ofFocus[request] = alone.Answer
		}
	}
	return ofFocus
}

// makeVectors fills the vectors of the memex, as a daemon would.
func (h *house) makeVectors() {
	h.t.Helper()
	m := h.open()
	h.check(m.Ingest(h.t.Context(), nil))
	h.check(m.Meaning().Fill(h.t.Context(), nil))
	h.check(m.Close())
}

func (h *house) open() *fovea.Memory {
	h.t.Helper()
	m, err := fovea.Open(h.t.Context(), h.memex, &fovea.Options{StateDir: h.config.StateDir, Embedder: h.embedder})
	h.check(err)
	return m
}

// alone answers as a command does that finds no daemon.
func (h *house) alone(opts api.LocalOptions, req api.ContextRequest) said {
	h.t.Helper()
	m := h.open()
	var warned []string
	opts.Fill, opts.Warn = true, func(err error) { warned = append(warned, err.Error()) }
	got := sayContext(h.t.Context(), api.NewLocal(m, &opts), req)
	h.check(m.Close())
	got.Warned = warned
	return got
}

// TestOneSearchAsksLittle: a search by meaning that runs alone asks the server what it has, and
// to embed the question. It does not probe a model of which there are vectors.
func TestOneSearchAsksLittle(t *testing.T) {
	h := build(t)
	for i := range 5 {
		h.write(fmt.Sprintf("n%d.org", i), note(i))
	}
	server := newOllama(t)
	h.embedder = config.Embed{Kind: embed.KindOllama, URL: server.URL}.Connector(h.config.StateDir)
	h.makeVectors()
	if n := server.requests()["/api/embed"]; n != 3 {
		t.Errorf("%d requests for vectors of the first run, want two probes and the notes", n)
	}
	m := h.open()
	req := api.SearchRequest{Text: "the tide", Mode: "semantic", MinSimilarity: new(0.0)}
	hits, err := api.OpSearch.Call(t.Context(), api.NewLocal(m, &api.LocalOptions{Fill: true}), req)
	h.check(err)
	h.check(m.Close())
	if len(hits) == 0 || hits[0].Cosine == 0 {
		t.Errorf("%+v", hits)
	}
	if diff := cmp.Diff(map[string]int{"/api/tags": 1, "/api/show": 1, "/api/embed": 1}, server.requests()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
