// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api"
)

// withHeaders sets headers that stand one a line, as they do in a request.
func withHeaders(r *http.Request, lines string) {
	for line := range strings.SplitSeq(lines, "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && !strings.EqualFold(name, "Authorization") {
			r.Header.Add(name, strings.TrimSpace(value))
		}
	}
}

// FuzzRequests: whatever an agent, a reader or the owner asks for, with whatever headers,
// there is an answer, and it is never that the server is at fault.
func FuzzRequests(f *testing.F) {
	ask := answering(f)
	roles := []string{"agent", "reader", "owner"}
	for i, op := range api.Operations {
		f.Add(uint8(0), "POST", "/v1/"+op.Name, "", `{"id":"x","title":"A","limit":1}`, "If-Match: \"x\"")
		f.Add(uint8(1), "POST", "/v1/"+op.Name, "", "null", "If-Match: W/\"x\"\nIdempotency-Key: k")
		f.Add(uint8(2), "POST", "/v1/"+op.Name, "", shapes[i%len(shapes)], strange[i%len(strange)][0]+": "+strange[i%len(strange)][1])
		f.Add(uint8(0), "GET", "/v1/"+op.Name, "limit=1&cursor=MQ&sync=none&id=x", "", "If-None-Match: *")
	}
	f.Add(uint8(0), "POST", "/v1/remember", "", `{"title":"A","body":"* `+
		`B","under":"agents/ada/x.org","property":["K=v"],"tag":["t"],"schedule":"2026-01-01"}`, "Fovea-Session: s")
	f.Add(uint8(0), "POST", "/v1/edit", "sync=scan", `{"id":"agents/ada/x.org:1","todo":"DONE","priority":"A","append":"x"}`, "")
	f.Add(uint8(0), "GET", "/v1/logs", "limit=1001", "", "Range: bytes=0-1")
	f.Add(uint8(0), "OPTIONS", "*", "", "", "Origin: null")
	f.Fuzz(func(t *testing.T, role uint8, method, path, query, body, headers string) {
		if path == "/v1/events" {
			return // runs for ever
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", "http://fovea/", strings.NewReader(body))
		r.Method, r.URL = method, &url.URL{Path: path, RawQuery: query}
		r.Header = http.Header{"Content-Type": {"application/json"}}
		withHeaders(r, headers)
		r.Header.Set("Authorization", "Bearer "+roles[int(role)%len(roles)])
		w := ask.serve(r)
		if w.Code >= 500 || w.Code < 200 {
			t.Errorf("%s %q?%q %q %q: %d %s", method, path, query, body, headers, w.Code, w.Body)
		}
		if w.Code >= 400 && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %q?%q %q %q: %d, and no problem: %q", method, path, query, body, headers, w.Code, w.Body)
		}
	})
}
