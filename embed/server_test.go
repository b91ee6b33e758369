// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
)

var kinds = []string{KindOllama, KindOpenAI, KindTEI}

// clock is a time that a test sets.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

func openFake(tb testing.TB, f *fakeServer, change func(*Config)) Embedder {
	tb.Helper()
	c := Config{Kind: f.kind, URL: f.URL, Timeout: 10 * time.Second}
	if change != nil {
		change(&c)
	}
	e, err := Open(context.Background(), c)
	if err != nil {
		tb.Fatal(err)
	}
	f.asked()
	return e
}

// TestServersConform runs the suite against the test server in each shape.
func TestServersConform(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) { conform(t, openFake(t, newFake(t, kind), nil)) })
		t.Run("auto "+kind, func(t *testing.T) {
			e := openFake(t, newFake(t, kind), func(c *Config) { c.Kind = KindAuto; c.URL += "/v1/" })
			plain := openFake(t, newFake(t, kind), nil)
			if e.Model() != plain.Model() {
				t.Errorf("%+v, and %+v by its kind", e.Model(), plain.Model())
			}
		})
	}
	t.Run(KindLexical, func(t *testing.T) { conform(t, openLexical(t)) })
}

// conform is what every embedder does.
func conform(t *testing.T, e Embedder) {
	ctx := context.Background()
	m := e.Model()
	if m.Name == "" || m.Kind == "" || m.Kind == KindAuto || len(m.Fingerprint) != 64 || m.Dim < 1 || m.Remote {
		t.Errorf("model %+v", m)
	}
	if results, err := e.Embed(ctx, Document, nil); err != nil || len(results) != 0 {
		t.Errorf("no texts: %v, %v", results, err)
	}
	texts := []string{"red dog", "", "the blue cat", "red dog", " \n\t", "graph of nodes \x00\xff ü 東京", strings.Repeat("memory and context ", 250)}
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("note %d of the project", i))
	}
	results, err := e.Embed(ctx, Document, texts)
	if err != nil || len(results) != len(texts) {
		t.Fatalf("%d results for %d texts, %v", len(results), len(texts), err)
	}
	for i, r := range results {
		if strings.TrimSpace(texts[i]) == "" {
			if !errors.Is(r.Err, ErrEmpty) || r.Vector != nil {
				t.Errorf("text %d: %v", i, r)
			}
			continue
		}
		if r.Err != nil || r.Truncated || len(r.Vector) != m.Dim || !hasNormOne(r.Vector) {
			t.Errorf("text %d: error %v, truncated %v, %d numbers", i, r.Err, r.Truncated, len(r.Vector))
		}
		if i < 8 && !alike(vectorOf(t, e, Document, texts[i]), r.Vector) {
			t.Errorf("text %d alone has another vector", i)
		}
	}
	if !slices.Equal(results[0].Vector, results[3].Vector) || alike(results[0].Vector, results[2].Vector) {
		t.Error("equal texts differ, or different ones are equal")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := e.Embed(ended, Query, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

func TestServersPrefixes(t *testing.T) {
	f := newFake(t, KindOpenAI)
	plain := openFake(t, f, nil)
	e := openFake(t, f, func(c *Config) { c.QueryPrefix, c.DocumentPrefix = "query: ", "passage: " })
	vectorOf(t, e, Query, "a dog")
	vectorOf(t, e, Document, "a dog")
	if got := fmt.Sprint(f.asked()); got != "[[query: a dog] [passage: a dog]]" {
		t.Error(got)
	}
	if plain.Model().Fingerprint == e.Model().Fingerprint {
		t.Error("prefixes do not change the fingerprint")
	}
}

func TestDimensionsAreCut(t *testing.T) {
	f := newFake(t, KindOllama)
	e := openFake(t, f, func(c *Config) { c.Dimensions, c.Nested = 4, true })
	v := vectorOf(t, e, Document, "a dog")
	want := f.vector("a dog")[:4]
	if err := unit(want); err != nil || !slices.Equal(v, want) || e.Model().Dim != 4 {
		t.Errorf("got %v, want %v, %v", v, want, err)
	}
	if _, err := Open(context.Background(), Config{Kind: KindOllama, URL: f.URL, Dimensions: 4}); !errors.Is(err, ErrConfig) {
		t.Errorf("cut without a declaration: %v", err)
	}
}

// TestLongTexts: what a server refuses is sent in parts, never again unchanged, and one
// long text harms no other.
func TestLongTexts(t *testing.T) {
	var long strings.Builder
	for i := range 90 {
		long.WriteString(fmt.Sprintf("one two three %d. ", i))
	}
	for _, kind := range kinds {
		for name, status := range map[string]int{"400": 400, "413": 413, "422": 422, "500": 500, "EOF": -1} {
			t.Run(kind+" "+name, func(t *testing.T) {
				f := newFake(t, kind)
				f.maxWords, f.tooLong = 100, status
				e := openFake(t, f, nil)
				texts := []string{"a", "b c", strings.TrimSpace(long.String()), "d"}
				results, err := e.Embed(context.Background(), Document, texts)
				if err != nil {
					t.Fatal(err)
				}
				seen := map[string]int{}
				for _, request := range f.asked() {
					seen[strings.Join(request, "\n")]++
				}
				for request, n := range seen {
					if n > 1 {
						t.Errorf("%.40q was sent %d times", request, n)
					}
				}
				for i, text := range texts {
					want := f.vector(text)
					if err := unit(want); err != nil || results[i].Err != nil || results[i].Truncated || !alike(results[i].Vector, want) {
						t.Errorf("text %d: %v, truncated %v", i, results[i].Err, results[i].Truncated)
					}
				}
			})
		}
	}
}

// TestBadTextFailsAlone: a text that a server refuses whole and in parts.
func TestBadTextFailsAlone(t *testing.T) {
	for _, kind := range kinds {
		f := newFake(t, kind)
		e := openFake(t, f, nil)
		f.set(func() {
			f.twist = func(w http.ResponseWriter, texts []string, _ map[string]any) bool {
				if strings.Contains(strings.Join(texts, " "), "poison") {
					http.Error(w, "unsupported value: NaN", http.StatusInternalServerError)
					return false
				}
				return true
			}
		})
		texts := []string{"a", "poison", "b", strings.Repeat("word ", 100) + " poison", "c"}
		results, err := e.Embed(context.Background(), Document, texts)
		if err != nil {
			t.Fatal(kind, err)
		}
		for i, r := range results {
			switch i {
			case 1:
				if !errors.Is(r.Err, ErrRefused) || !strings.Contains(r.Err.Error(), "unsupported value: NaN") {
					t.Errorf("%s: %v", kind, r.Err)
				}
			case 3:
				if r.Err != nil || !r.Truncated {
					t.Errorf("%s: the end is lost: %v, truncated %v", kind, r.Err, r.Truncated)
				}
			default:
				if r.Err != nil || r.Truncated {
					t.Errorf("%s: text %d: %v", kind, i, r.Err)
				}
			}
		}
	}
}

// TestSilentTruncation: a server that drops the end of a text and counts what it read.
func TestSilentTruncation(t *testing.T) {
	for _, kind := range []string{KindOllama, KindOpenAI} {
		f := newFake(t, kind)
		f.maxWords, f.tooLong = 50, 0
		e := openFake(t, f, nil)
		results, err := e.Embed(context.Background(), Document, []string{"a b", strings.Repeat("word ", 80), "c"})
		if err != nil || results[0].Truncated || !results[1].Truncated || results[2].Truncated {
			t.Errorf("%s: %v, %v", kind, err, results)
		}
	}
}

// TestKeyStaysSecret: a server that repeats the key in its answers.
func TestKeyStaysSecret(t *testing.T) {
	const key = "sk-very-secret-0123456789"
	for _, kind := range kinds {
		f := newFake(t, kind)
		f.key = key
		e := openFake(t, f, func(c *Config) { c.Key = key })
		f.set(func() {
			f.twist = func(w http.ResponseWriter, _ []string, _ map[string]any) bool {
				http.Error(w, "bad request by "+key, http.StatusBadRequest)
				return false
			}
		})
		_, refused := e.Embed(context.Background(), Document, []string{"a"})
		_, wrongKey := Open(context.Background(), Config{Kind: kind, URL: f.URL, Key: "sk-very-secret-other"})
		for _, err := range []error{refused, wrongKey} {
			if err == nil || strings.Contains(err.Error(), "very-secret") {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// TestServerIsLeftAlone: after a failure nothing is sent for a second, then two, and so
// on; then one request is tried.
func TestServerIsLeftAlone(t *testing.T) {
	f := newFake(t, KindOllama)
	c := &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	e := openFake(t, f, func(config *Config) { config.Now = c.now })
	down := func(w http.ResponseWriter, _ []string, _ map[string]any) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return false
	}
	f.set(func() { f.twist = down })
	embed := func() (int, error) {
		_, err := e.Embed(context.Background(), Query, []string{"a"})
		return len(f.asked()), err
	}
	for _, seconds := range []int{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		c.Time = c.Add(time.Duration(seconds) * time.Second)
		if n, err := embed(); n != 1 || !errors.Is(err, ErrUnavailable) {
			t.Errorf("after %d s: %d requests, %v", seconds, n, err)
		}
		c.Time = c.Add(-time.Millisecond)
		if n, err := embed(); n != 0 || !errors.Is(err, ErrUnavailable) || fault.KindOf(err) != fault.Busy {
			t.Errorf("at once after: %d requests, %v", n, err)
		}
		c.Time = c.Add(time.Millisecond)
	}
	f.set(func() { f.twist = nil })
	c.Time = c.Add(maxBackOff)
	if n, err := embed(); n != 2 || err != nil { // the probe, then the text
		t.Errorf("%d requests, %v", n, err)
	}
	if n, err := embed(); n != 1 || err != nil {
		t.Errorf("%d requests, %v", n, err)
	}
}

func TestRetryAfter(t *testing.T) {
	f := newFake(t, KindOllama)
	c := &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	e := openFake(t, f, func(config *Config) { config.Now = c.now })
	f.set(func() {
		f.twist = func(w http.ResponseWriter, _ []string, _ map[string]any) bool {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			return false
		}
	})
	for _, step := range []struct{ seconds, requests int }{{0, 1}, {59, 0}, {1, 1}} {
		c.Time = c.Add(time.Duration(step.seconds) * time.Second)
		if _, err := e.Embed(context.Background(), Query, []string{"a"}); !errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
		if got := len(f.asked()); got != step.requests {
			t.Errorf("after %d s: %d requests, want %d", step.seconds, got, step.requests)
		}
	}
}

// TestModelReplaced: another model under the same name is found within a minute, by its
// digest or by its vectors.
func TestModelReplaced(t *testing.T) {
	for name, change := range map[string]func(*fakeServer){
		"digest":  func(f *fakeServer) { f.digest = "d2" },
		"vectors": func(f *fakeServer) { f.seed = "other" },
	} {
		f := newFake(t, KindOllama)
		c := &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
		e := openFake(t, f, func(config *Config) { config.Now = c.now })
		c.Time = c.Add(checkInterval)
		vectorOf(t, e, Document, "a")
		f.set(func() { change(f) })
		c.Time = c.Add(checkInterval)
		for range 2 {
			if _, err := e.Embed(context.Background(), Document, []string{"a"}); !errors.Is(err, ErrModelChanged) || fault.KindOf(err) != fault.Conflict {
				t.Errorf("%s: %v", name, err)
			}
		}
		again := openFake(t, f, nil)
		if name == "digest" && again.Model().Fingerprint == e.Model().Fingerprint {
			t.Error("a new digest has the old fingerprint")
		}
	}
}

// TestSlowServer: a request ends with the timeout, or with the context of the caller.
func TestSlowServer(t *testing.T) {
	for _, timeout := range []time.Duration{50 * time.Millisecond, time.Hour} {
		f := newFake(t, KindOllama)
		e := openFake(t, f, nil)
		e.(*server).remote.timeout = timeout
		release, arrived := make(chan struct{}), make(chan struct{})
		f.set(func() {
			f.twist = func(http.ResponseWriter, []string, map[string]any) bool {
				close(arrived)
				<-release
				return false
			}
		})
		ctx, cancel := context.WithCancel(context.Background())
		want := ErrUnavailable
		if timeout == time.Hour {
			want = context.Canceled
			go func() { <-arrived; cancel() }()
		}
		if _, err := e.Embed(ctx, Query, []string{"a"}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		cancel()
		close(release)
	}
}

func TestAnswersAreLimited(t *testing.T) {
	f := newFake(t, KindTEI)
	e := openFake(t, f, nil)
	f.set(func() {
		f.twist = func(w http.ResponseWriter, _ []string, _ map[string]any) bool {
			blank := json.RawMessage(strings.Repeat(" ", 1<<20))
			for range maxAnswer>>20 + 1 {
				if _, err := w.Write(blank); err != nil {
					break
				}
			}
			return false
		}
	})
	if _, err := e.Embed(context.Background(), Document, []string{"a"}); !errors.Is(err, ErrProtocol) {
		t.Error(err)
	}
}

// TestTogether: queries and documents of several callers get the vectors that they get alone.
func TestTogether(t *testing.T) {
	f := newFake(t, KindOllama)
	e := openFake(t, f, nil)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 20 {
				text := fmt.Sprintf("text %d of caller %d", j, i)
				results, err := e.Embed(context.Background(), Purpose(i%2), []string{text, "x"})
				if want := f.vector(text); err != nil || unit(want) != nil || !alike(results[0].Vector, want) {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	group.Wait()
}
