// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
)

// newRerankFake is a server that scores a document by its length, best first. lie, if it
// is set, writes another answer.
func newRerankFake(tb testing.TB, kind, key string, lie *atomic.Pointer[string]) *httptest.Server {
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Query            string
			Documents, Texts []string
		}
		if path := map[string]string{KindOpenAI: "/v1/rerank", KindTEI: "/rerank"}[kind]; r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Query == "" {
			http.Error(w, "no query", http.StatusUnprocessableEntity)
			return
		}
		if text := lie.Load(); text != nil {
			var status int
			if n, err := fmt.Sscanf(*text, "status %d", &status); n == 1 && err == nil {
				w.WriteHeader(status)
			}
			fmt.Fprint(w, *text)
			return
		}
		var scores []map[string]any
		for i, d := range append(in.Documents, in.Texts...) {
			scores = append(scores, map[string]any{"index": i, key: float64(len(d))})
		}
		slices.SortFunc(scores, func(a, b map[string]any) int { return cmp.Compare(b[key].(float64), a[key].(float64)) })
		if kind == KindTEI {
			reply(w, scores)
			return
		}
		reply(w, map[string]any{"model": "m", "results": scores})
	}))
	tb.Cleanup(f.Close)
	return f
}

// TestRerank: scores are in the order of the documents, in each shape, found by itself.
func TestRerank(t *testing.T) {
	for _, shape := range [][2]string{{KindOpenAI, "relevance_score"}, {KindOpenAI, "score"}, {KindTEI, "score"}} {
		for _, kind := range []string{shape[0], KindAuto} {
			var lie atomic.Pointer[string]
			f := newRerankFake(t, shape[0], shape[1], &lie)
			r, err := OpenReranker(context.Background(), Config{Kind: kind, URL: f.URL, Model: "m"})
			if err != nil {
				t.Fatal(shape, kind, err)
			}
			got, err := r.Rerank(context.Background(), "question", []string{"ab", "abcd", "", "abc"})
			if !slices.Equal(got, []float64{2, 4, 0, 3}) || err != nil {
				t.Errorf("%v: %v, %v", shape, got, err)
			}
			if got, err := r.Rerank(context.Background(), "question", nil); len(got) != 0 || err != nil {
				t.Errorf("no documents: %v, %v", got, err)
			}
			if _, err := r.Rerank(context.Background(), "question", make([]string, maxReranked+1)); !errors.Is(err, ErrConfig) {
				t.Errorf("too many documents: %v", err)
			}
		}
	}
}

// TestLyingRerankers: wrong answers are named errors.
func TestLyingRerankers(t *testing.T) {
	for answer, want := range map[string]error{
		`{"results":[{"index":0,"score":1}]}`:                                             ErrProtocol,
		`{"results":[{"index":0,"score":1},{"index":0,"score":1}]}`:                       ErrProtocol,
		`{"results":[{"index":0,"score":1},{"index":2,"score":1}]}`:                       ErrProtocol,
		`{"results":[{"index":0,"score":1},{"index":-1,"score":1}]}`:                      ErrProtocol,
		`{"results":[{"index":0,"score":1},{"score":1}]}`:                                 ErrProtocol,
		`{"results":[{"index":0,"score":1},{"index":1}]}`:                                 ErrProtocol,
		`{"results":[{"index":0,"score":1},{"index":1,"score":2},{"index":1,"score":2}]}`: ErrProtocol,
		`{}`:         ErrProtocol,
		`<html>`:     ErrRefused,
		`status 400`: ErrRefused,
		`status 500`: ErrRefused,
		`status 302`: ErrProtocol,
		`status 401`: ErrUnavailable,
		`status 429`: ErrUnavailable,
		`status 503`: ErrUnavailable,
	} {
		var lie atomic.Pointer[string]
		r, err := OpenReranker(context.Background(), Config{Kind: KindOpenAI, URL: newRerankFake(t, KindOpenAI, "score", &lie).URL})
		if err != nil {
			t.Fatal(err)
		}
		lie.Store(&answer)
		if got, err := r.Rerank(context.Background(), "q", []string{"a", "b"}); !errors.Is(err, want) || got != nil {
			t.Errorf("%s: got %v, %v, want %v", answer, got, err, want)
		}
		_, err = r.Rerank(context.Background(), "q", []string{"a", "b"})
		if errors.Is(want, ErrUnavailable) && (!strings.Contains(err.Error(), "left alone") || fault.KindOf(err) != fault.Busy) {
			t.Errorf("%s: a second time: %v", answer, err)
		}
	}
}

func TestRerankerOpens(t *testing.T) {
	var lie atomic.Pointer[string]
	f := newRerankFake(t, "coffee", "score", &lie)
	for name, c := range map[string]struct {
		config Config
		want   error
	}{
		"kind":    {Config{Kind: KindOllama, URL: f.URL}, ErrConfig},
		"address": {Config{Kind: KindTEI, URL: "localhost"}, ErrConfig},
		"path":    {Config{Kind: KindAuto, URL: f.URL}, ErrUnavailable},
	} {
		if _, err := OpenReranker(context.Background(), c.config); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OpenReranker(ctx, Config{Kind: KindAuto, URL: f.URL}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSlowReranker: the deadline of the caller ends a call, and does not count against
// the server.
func TestSlowReranker(t *testing.T) {
	release := make(chan struct{})
	var slow atomic.Bool
	var lie atomic.Pointer[string]
	fast := newRerankFake(t, KindTEI, "score", &lie)
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slow.Load() {
			<-release
		}
		fast.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	r, err := OpenReranker(context.Background(), Config{Kind: KindTEI, URL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	slow.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.Rerank(ctx, "q", []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	slow.Store(false)
	close(release)
	if got, err := r.Rerank(context.Background(), "q", []string{"a"}); !slices.Equal(got, []float64{1}) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
