// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"testing"
	"time"
)

// TestRerank: the table of the reranker is read, and what is wrong with it is named.
func TestRerank(t *testing.T) {
	environment(t, map[string]string{"KEY": "k"})
	for _, tc := range []struct {
		table map[string]any
		want  Rerank
		err   string
	}{
		{map[string]any{}, Rerank{}, ""},
		{map[string]any{"url": "http://a"}, Rerank{Kind: "auto", URL: "http://a"}, ""},
		{map[string]any{"url": "http://a", "kind": "tei", "model": "m", "key_env": "KEY", "timeout_ms": int64(40), "all": true},
			Rerank{Kind: "tei", URL: "http://a", Model: "m", Key: "k", Timeout: 40 * time.Millisecond, All: true}, ""},
		{map[string]any{"model": "m"}, Rerank{}, "must name a url"},
		{map[string]any{"url": "http://a", "kind": "ollama"}, Rerank{}, "use openai, tei or auto"},
		{map[string]any{"url": 7}, Rerank{}, "url: 7 is not a text"},
		{map[string]any{"url": "http://a", "all": 1}, Rerank{}, "neither true nor false"},
		{map[string]any{"url": "http://a", "timeout_ms": int64(0)}, Rerank{}, "timeout_ms"},
		{map[string]any{"url": "http://a", "key_env": "NONE"}, Rerank{}, "the environment has no NONE"},
		{map[string]any{"url": "http://a", "top": 3}, Rerank{}, `unknown key "top"; there are all, key_env, kind, model, timeout_ms, url`},
	} {
		got, err := decoded[Rerank](tc.table, true)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%v: got %v, want %q", tc.table, err, tc.err)
			}
			continue
		}
		if err != nil || got != tc.want {
			t.Errorf("%v: got %+v, %v", tc.table, got, err)
		}
		if (got.Reranking() == nil) != (got.URL == "") {
			t.Errorf("%v: there is a reranker without a url, or none with one", tc.table)
		}
	}
}
