// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
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

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/embed"
)

// rerankServer scores a document by the number behind "rank", in the shape of llama.cpp; lie
// makes it do something else.
func rerankServer(t *testing.T, lie *atomic.Pointer[string]) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Query     string
			Documents []string
		}
		if r.URL.Path != "/v1/rerank" {
			http.NotFound(w, r)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if text := lie.Load(); text != nil {
			switch *text {
			case "hang":
				<-r.Context().Done()
			case "500":
				http.Error(w, "out of memory", http.StatusInternalServerError)
			default:
				fmt.Fprint(w, *text)
			}
			return
		}
		var results []string
		for i, d := range in.Documents {
			rank := 0
			if _, rest, ok := strings.Cut(d, "rank"); ok {
				_, _ = fmt.Sscan(rest, &rank)
			}
			results = append(results, fmt.Sprintf(`{"index":%d,"relevance_score":%d}`, i, rank))
		}
		fmt.Fprintf(w, `{"results":[%s]}`, strings.Join(results, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// reranked is a memory of notes about a pump, which a reranker would put in the order that
// they name.
func reranked(t *testing.T, r *embed.Reranking, notes string) *world {
	w := newWorld(t, map[string]string{"a.org": notes})
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), w.dir, &fovea.Options{StateDir: w.state, Now: w.now, Reranker: r})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	w.ingest()
	return w
}

const pumps = "* One\nThe pump, the pump: rank 1\n* Two\nA pump, rank 2\n* Three\nIn the house of the pump, rank 3 of all that is there to be told\n"

func titles(hits []api.Hit) string {
	var all []string
	for _, h := range hits {
		all = append(all, h.Title)
	}
	return strings.Join(all, " ")
}

// TestReranked proves that a reranker orders what is found, that the order of the arms stands
// where it is late, fails or lies, and that the answer says which.
func TestReranked(t *testing.T) {
	var lie atomic.Pointer[string]
	server := rerankServer(t, &lie)
	connect := func(ctx context.Context) (embed.Reranker, error) {
		return embed.OpenReranker(ctx, embed.Config{Kind: embed.KindAuto, URL: server.URL})
	}
	plain, err := api.OpSearch.Call(t.Context(), reranked(t, nil, pumps).serve(), api.SearchRequest{Text: "pump"})
	if err != nil || plain[0].Reranked != nil || titles(plain) == "Three Two One" {
		t.Fatalf("without a reranker: %q, %v, %v", titles(plain), plain[0].Reranked, err)
	}
	for _, tc := range []struct{ name, lie, mode, want, why string }{
		{"good", "", "", "Three Two One", ""},
		{"lexical", "", "lexical", "", ""},
		{"late", "hang", "", "", "took longer than"},
		{"fails", "500", "", "", "out of memory"},
		{"not finite", `{"results":[{"index":0,"relevance_score":1e999},{"index":1,"score":1},{"index":2,"score":1}]}`, "", "", "rerank"},
		{"too few", `{"results":[{"index":0,"score":1}]}`, "", "", "1 scores for 3 documents"},
		{"twice", `{"results":[{"index":0,"score":1},{"index":0,"score":2},{"index":1,"score":2}]}`, "", "", "repeated"},
		{"far away", `{"results":[{"index":7,"score":1},{"index":0,"score":2},{"index":1,"score":2}]}`, "", "", "out of range"},
		{"no JSON", "hello", "", "", "rerank"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lie.Store(nil)
			w := reranked(t, &embed.Reranking{Connect: connect, Timeout: 5 * time.Second}, pumps)
			if _, err := api.OpSearch.Call(t.Context(), w.serve(), api.SearchRequest{Text: "pump"}); err != nil { // which connects
				t.Fatal(err)
			}
			if tc.lie == "hang" {
				w = reranked(t, &embed.Reranking{Connect: connect, Timeout: 300 * time.Millisecond}, pumps)
				if _, err := api.OpSearch.Call(t.Context(), w.serve(), api.SearchRequest{Text: "pump"}); err != nil {
					t.Fatal(err)
				}
			}
			if tc.lie != "" {
				lie.Store(&tc.lie)
			}
			var warned []string
			svc := api.NewLocal(w.m, &api.LocalOptions{Warn: func(err error) { warned = append(warned, err.Error()) }})
			hits, err := api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "pump", Mode: tc.mode, Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			want, did := tc.want, tc.want != ""
			if !did {
				want = titles(plain)
			}
			if titles(hits) != want {
				t.Errorf("the order is %q, want %q", titles(hits), want)
			}
			if _, scored := hits[0].Scores["rerank"]; scored != did || hits[0].Scores["lexical"] == 0 {
				t.Errorf("explained by %v", hits[0].Scores)
			}
			switch said := strings.Join(warned, "; "); {
			case tc.mode == "lexical":
				if hits[0].Reranked != nil {
					t.Errorf("a lexical search says reranked %v", *hits[0].Reranked)
				}
			case hits[0].Reranked == nil || *hits[0].Reranked != did:
				t.Errorf("reranked: %v, want %v", hits[0].Reranked, did)
			case !strings.Contains(said, tc.why) || did && said != "":
				t.Errorf("warned of %q, want %q", said, tc.why)
			}
		})
	}
}

// farReranker is another computer that remembers what it saw.
type farReranker struct{ saw []string }

func (*farReranker) Remote() bool { return true }

func (r *farReranker) Rerank(_ context.Context, _ string, documents []string) ([]float64, error) {
	r.saw = append(r.saw, documents...)
	scores := make([]float64, len(documents))
	for i := range scores {
		scores[i] = float64(i)
	}
	return scores, nil
}

// TestRerankerSeesWhatItMay proves that another computer is sent only notes with the property
// EMBED, that what is encrypted is never sent, and that what is not sent keeps its place.
func TestRerankerSeesWhatItMay(t *testing.T) {
	notes := "* Own\npump pump pump\n* Given\n:PROPERTIES:\n:EMBED: t\n:END:\npump pump\n* Given too\n:PROPERTIES:\n:EMBED: t\n:END:\nof a pump\n" +
		"* Sealed :crypt:\n:PROPERTIES:\n:EMBED: t\n:END:\n-----BEGIN PGP MESSAGE-----\npump\n"
	for _, all := range []bool{false, true} {
		far := &farReranker{}
		w := reranked(t, &embed.Reranking{All: all, Connect: func(context.Context) (embed.Reranker, error) { return far, nil }}, notes)
		hits, err := api.OpSearch.Call(t.Context(), w.serve(), api.SearchRequest{Text: "pump"})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range far.saw {
			if strings.Contains(text, "PGP") || strings.HasPrefix(text, "Sealed") || !all && !strings.HasPrefix(text, "Given") {
				t.Errorf("all %v: it saw %q", all, text)
			}
		}
		if len(far.saw) < 2 {
			t.Errorf("all %v: it saw %d notes", all, len(far.saw))
		}
		own := slices.IndexFunc(hits, func(h api.Hit) bool { return h.Title == "Own" })
		if !all && (own != 0 || !strings.HasPrefix(titles(hits), "Own Given too Given")) {
			t.Errorf("the order is %q", titles(hits))
		}
	}
}

// TestRerankerIsDown proves that a reranker that cannot be reached costs nothing after the
// first time, and that search takes more candidates than it was asked for to be ordered.
func TestRerankerIsDown(t *testing.T) {
	tries := 0
	w := reranked(t, &embed.Reranking{Connect: func(context.Context) (embed.Reranker, error) {
		tries++
		return nil, errors.New("connection refused")
	}}, pumps)
	for range 5 {
		hits, err := api.OpSearch.Call(t.Context(), w.serve(), api.SearchRequest{Text: "pump", Limit: 1})
		if err != nil || len(hits) != 1 || *hits[0].Reranked {
			t.Fatalf("got %+v, %v", hits, err)
		}
	}
	if tries > 5 { // the clock of the test goes on by a minute at each look
		t.Errorf("%d attempts to connect", tries)
	}
	var lie atomic.Pointer[string]
	server := rerankServer(t, &lie)
	w = reranked(t, &embed.Reranking{Timeout: 5 * time.Second, Connect: func(ctx context.Context) (embed.Reranker, error) {
		return embed.OpenReranker(ctx, embed.Config{Kind: embed.KindAuto, URL: server.URL})
	}}, pumps)
	hits, err := api.OpSearch.Call(t.Context(), w.serve(), api.SearchRequest{Text: "pump", Limit: 1})
	if err != nil || titles(hits) != "Three" {
		t.Errorf("got %q, %v", titles(hits), err)
	}
}
