// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// TestLongQuestions: a question of 1.5 MB is searched, answered with a window within its
// budget, and gets a few suggestions, whether its words are known or not.
func TestLongQuestions(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* The hull\nIt has rivets.\n"})
	opts := httpapi.Options{Service: api.NewLocal(s.m, nil), Feed: s.feed, Hello: func() api.Hello { return api.Hello{Protocol: api.Protocol} }}
	server := httptest.NewServer(httpapi.New(opts).Handler(admit)) // with the body limit of the product
	t.Cleanup(server.Close)
	s.url = server.URL
	var unknown strings.Builder
	for i := 0; unknown.Len() < 1_500_000; i++ {
		fmt.Fprintf(&unknown, "rivt%c%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26)
	}
	for name, c := range map[string]struct {
		question string
		hits     int
	}{
		"known words":         {strings.Repeat("rivets ", 215_000), 1},
		"unknown words":       {unknown.String(), 0},
		"one word":            {strings.Repeat("x", 1_500_000), 0},
		"control characters":  {strings.Repeat("\x01\x1b", 600_000), 0},
		"another language":    {strings.Repeat("鍵はどこですか。", 62_500), 0},
		"a headline and text": {"rivets" + strings.Repeat("\n* a\n:END:", 100_000), 1},
	} {
		t.Run(name, func(t *testing.T) {
			post := func(op string, req, answer any) {
				t.Helper()
				body, err := json.Marshal(req)
				if err != nil {
					t.Fatal(err)
				}
				r := s.ask("POST", "/v1/"+op, string(body))
				if r.status != 200 {
					t.Fatalf("%s: %d %.200s", op, r.status, r.body)
				}
				if err := json.Unmarshal(r.body, answer); err != nil {
					t.Fatal(err)
				}
			}
			var hits []api.Hit
			post("search", api.SearchRequest{Text: c.question, Match: 80}, &hits)
			if len(hits) != c.hits || c.hits > 0 && hits[0].Match != "It has rivets." {
				t.Errorf("hits %+v", hits)
			}
			var w api.ContextResponse
			post("context", api.ContextRequest{Question: c.question, Budget: 200}, &w)
			if w.Tokens > 200 {
				t.Errorf("%d tokens", w.Tokens)
			}
			var more api.Suggestions
			post("suggest", api.SuggestRequest{Text: c.question, Notes: 1}, &more)
			if len(more.Words) > 3 || len(more.Notes) != 1 {
				t.Errorf("suggestions %+v", more)
			}
		})
	}
}
