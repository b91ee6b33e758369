// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// FuzzRequests: whatever an agent asks for, there is an answer, and it is never that
// the server is at fault.
func FuzzRequests(f *testing.F) {
	m, err := fovea.Open(f.Context(), f.TempDir(), &fovea.Options{StateDir: filepath.Join(f.TempDir(), "state")})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { m.Close() })
	h := httpapi.New(httpapi.Options{
		Service: api.Local(m, nil), Feed: &api.Feed{},
		Hello: func() api.Hello { return api.Hello{Root: m.View().Root().String(), Seq: m.View().Head().Seq} },
	}).Handler(admit)
	for _, op := range api.Operations {
		f.Add("POST", "/v1/"+op.Name, "", `{"id":"x","title":"A","limit":1}`, `"x"`)
		f.Add("GET", "/v1/"+op.Name, "limit=1&cursor=MQ&sync=none&id=x", "", "*")
	}
	f.Add("POST", "/v1/remember", "", `{"title":"A","body":"* B","under":"agents/ada/x.org","property":["K=v"],"tag":["t"],"schedule":"2026-01-01"}`, "")
	f.Add("POST", "/v1/edit", "sync=scan", `{"id":"agents/ada/x.org:1","todo":"DONE","priority":"A","append":"x"}`, "")
	f.Add("GET", "/v1/logs", "limit=1001", "", "")
	f.Add("OPTIONS", "*", "", "", "")
	f.Fuzz(func(t *testing.T, method, path, query, body, match string) {
		if path == "/v1/events" {
			return // goes on for ever
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", "http://fovea/", strings.NewReader(body))
		r.Method, r.URL = method, &url.URL{Path: path, RawQuery: query}
		r.Header = http.Header{"Authorization": {"Bearer agent"}, "Content-Type": {"application/json"}, "If-Match": {match}, "If-None-Match": {match}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code < 200 {
			t.Errorf("%s %q?%q %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
	})
}
