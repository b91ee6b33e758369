// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// shapes are bodies that a program sends by mistake, and one who attacks on purpose.
var shapes = []string{
	"", " ", "\n", "null", " null ", "true", "0", "-1", "1e999", `""`, `"x"`, "[]", "[null]", `[{}]`, "{}", "{} {}", "{", "}", "nul",
	`{"id":null}`, `{"id":null,"base":null}`, `{"id":1}`, `{"id":[]}`, `{"id":{}}`, `{"id":"x","id":null}`, `{"id":"x","base":"a","base":"b"}`,
	`{"ID":"x","Base":"y"}`, `{"id":"x","base":null}`, `{"id":"x","base":{"a":1}}`, `{"nothing":1}`, `{"":""}`, "{\"id\":\"\xff\"}", `{"id":"\u0000\ud800"}`,
	`{"ast":null}`, `{"ast":[null]}`, `{"title":null,"tag":null,"property":[null]}`, `{"commits":[null],"author":null}`,
	strings.Repeat("[", 20_000), strings.Repeat(`{"id":`, 20_000), "\ufeff{}", "\x00",
}

// strange are headers that mean something to one part or another.
var strange = [][2]string{
	{"If-Match", ""}, {"If-Match", `"x"`}, {"If-Match", `W/"x"`}, {"If-Match", "*"}, {"If-Match", `"`}, {"If-Match", `"a", "b"`}, {"If-Match", "\xff\x00"},
	{"If-None-Match", "*"}, {"If-None-Match", `,,"`}, {"Idempotency-Key", "k"}, {"Idempotency-Key", strings.Repeat("k", 151)}, {"Idempotency-Key", "a\x00\xff b"},
	{"Fovea-Session", "s\x00"}, {"Fovea-Session", strings.Repeat("s", 10_000)}, {"Fovea-Project", "../x"}, {"Fovea-Project", "nowhere"},
	{"Fovea-Agent", "\u202e"}, {"Fovea-Role", "owner"},
	{"Range", "bytes=0-0"}, {"Range", "bytes=9-1"}, {"Content-Encoding", "gzip"}, {"Content-Encoding", "identity"}, {"Content-Type", "text/plain"},
	{"Content-Type", "application/json; charset=\xff"}, {"Content-Type", ";"},
	{"Expect", "200-ok"}, {"Accept", "text/html"}, {"Last-Event-ID", "-1"}, {"Mcp-Session-Id", "x"}, {"Mcp-Protocol-Version", "9999-99-99"},
	{"Transfer-Encoding", "gzip"},
}

// asked is a server over a real memory, without a network.
type asked struct{ http.Handler }

func (a asked) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

// answering returns a server that takes a word for a token: the name of a role.
func answering(t testing.TB) asked {
	m, err := fovea.Open(t.Context(), t.TempDir(), &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	h := httpapi.New(httpapi.Options{
		Service: api.NewLocal(m, nil), Feed: &api.Feed{}, WritesPerMinute: 100_000_000,
		Hello: func() api.Hello { return api.Hello{Root: m.View().Root().String(), Seq: m.View().Head().Seq} },
	}).Handler(func(r *http.Request) (api.Grant, error) {
		role := api.Role(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		return map[api.Role]api.Grant{api.Owner: {Role: api.Owner}, api.Agent: {Role: api.Agent, Agent: "ada", Vouched: true},
			api.Reader: {Role: api.Reader, Agent: "eve", Vouched: true}}[role], nil
	})
	return asked{h}
}

// ask sends a request in a role.
func (a asked) ask(t testing.TB, role, method, path, body string, headers ...[2]string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(t.Context(), method, "http://fovea"+path, strings.NewReader(body))
	r.Header = http.Header{"Authorization": {"Bearer " + role}, "Content-Type": {"application/json"}}
	for _, h := range headers {
		r.Header.Set(h[0], h[1])
	}
	return a.serve(r)
}

// TestEveryShapeIsAnswered: whatever body comes with whatever header for whichever
// operation, the answer is JSON, and never that the server is at fault; who may not use an
// operation hears that, and nothing about the body.
func TestEveryShapeIsAnswered(t *testing.T) {
	server := answering(t)
	check := func(role string, op *api.Operation, body string, header [2]string) {
		t.Helper()
		w := server.ask(t, role, "POST", "/v1/"+op.Name, body, header)
		if w.Code < 200 || w.Code >= 500 || w.Code != http.StatusNotModified && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s asks for %s with %q and %q: %d %q", role, op.Name, body[:min(len(body), 60)], header, w.Code, w.Body)
		}
		if role == "reader" && op.Effect != api.Reads && w.Code != http.StatusForbidden {
			t.Errorf("a reader asks for %s with %q and %q: %d %s", op.Name, body[:min(len(body), 60)], header, w.Code, w.Body)
		}
		if strings.TrimSpace(body) == "null" && w.Code < 400 {
			t.Errorf("%s asks for %s with null: %d %s", role, op.Name, w.Code, w.Body)
		}
	}
	for _, op := range api.Operations {
		t.Run(op.Name, func(t *testing.T) {
			for _, role := range []string{"owner", "agent", "reader"} {
				for _, body := range shapes {
					check(role, op, body, [2]string{"If-Match", `"x"`})
					check(role, op, body, [2]string{"Accept", "*/*"})
				}
				for _, header := range strange {
					check(role, op, "null", header)
					check(role, op, `{"id":"x"}`, header)
				}
			}
		})
	}
}

// panicking is a service that fails as no service should.
func panicking() api.Service {
	return api.Service(func(context.Context, api.Call) (any, error) { panic("out of order") })
}

// TestAPanicIsToldAndLogged: where a part of the program panics the client gets a problem,
// the log an error with the stack, and the next request is answered.
func TestAPanicIsToldAndLogged(t *testing.T) {
	var log bytes.Buffer
	s := httpapi.New(httpapi.Options{
		Service: panicking(), Feed: &api.Feed{}, Hello: func() api.Hello { return api.Hello{Version: "1"} }, Log: slog.New(slog.NewTextHandler(&log, nil)),
		MCP: func(api.Service) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(errors.New("also here")) })
		},
	})
	server := httptest.NewServer(s.Handler(func(*http.Request) (api.Grant, error) { return api.Grant{Role: api.Owner}, nil }))
	defer server.Close()
	for _, path := range []string{"/v1/status", "/v1/remember", "/mcp"} {
		log.Reset()
		a, err := http.Post(server.URL+path, "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		var fault api.Fault
		err = json.NewDecoder(a.Body).Decode(&fault)
		a.Body.Close()
		if err != nil || a.StatusCode != http.StatusInternalServerError || a.Header.Get("Content-Type") != "application/problem+json" || fault.Detail == "" {
			t.Errorf("%s: %s, %+v, %v", path, a.Status, fault, err)
		}
		if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "shapes_test.go") || !strings.Contains(got, path) {
			t.Errorf("%s: the log has %s", path, got)
		}
	}
	a, err := http.Get(server.URL + "/v1/hello")
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("the next request: %v, %v", a, err)
	}
	a.Body.Close()
}
