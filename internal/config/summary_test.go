// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"testing"
	"time"
)

// TestSummary: the table of the model that summarizes is read, its key from the environment
// alone, and what is wrong with it is named.
func TestSummary(t *testing.T) {
	environment(t, map[string]string{"KEY": "k"})
	for _, tc := range []struct {
		table map[string]any
		want  Summary
		err   string
	}{
		{map[string]any{}, Summary{}, ""},
		{map[string]any{"url": "http://a", "model": "m"}, Summary{URL: "http://a", Model: "m"}, ""},
		{map[string]any{"url": "http://a", "model": "m", "key_env": "KEY", "timeout_ms": int64(40), "all": true},
			Summary{URL: "http://a", Model: "m", Key: "k", Timeout: 40 * time.Millisecond, All: true}, ""},
		{map[string]any{"model": "m"}, Summary{}, "must name a url and a model"},
		{map[string]any{"url": "http://a"}, Summary{}, "must name a url and a model"},
		{map[string]any{"url": 7}, Summary{}, "url: 7 is not a text"},
		{map[string]any{"url": "http://a", "key": "secret"}, Summary{}, `unknown key "key"; there are all, key_env, model, timeout_ms, url`},
		{map[string]any{"url": "http://a", "model": "m", "timeout_ms": int64(700_000)}, Summary{}, "timeout_ms"},
		{map[string]any{"url": "http://a", "model": "m", "key_env": "NONE"}, Summary{}, "the environment has no NONE"},
	} {
		got, err := decoded[Summary](tc.table, true)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%v: got %v, want %q", tc.table, err, tc.err)
			}
			continue
		}
		if err != nil || got != tc.want {
			t.Errorf("%v: got %+v, %v", tc.table, got, err)
		}
		if (got.Summarizing() == nil) != (got.URL == "") {
			t.Errorf("%v: there is a model without a url, or none with one", tc.table)
		}
	}
}
