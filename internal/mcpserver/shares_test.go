// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// post sends a message of MCP with headers, and returns the answer and its body.
func post(t testing.TB, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a, string(text)
}

// TestSessionsWithoutEnd: one bearer begins 1,000 sessions, each as another session of the
// memory, and 1,000 as one. It has no more servers and sessions than it may, its newest
// session works, an old one is an error of JSON-RPC that says what to do, and everybody
// else goes on as before.
func TestSessionsWithoutEnd(t *testing.T) {
	svc, _ := memory(t)
	web := mcpserver.NewWeb(func(r *http.Request) mcpserver.Caller {
		who := r.Header.Get("Authorization")
		return mcpserver.Caller{Key: who + " " + r.Header.Get("Fovea-Session"), Bearer: bound.Agent(who),
			Open: func() *mcpserver.Server { return mcpserver.New(svc, nil) }}
	})
	site := httptest.NewServer(web)
	t.Cleanup(site.Close)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	begin := func(who, session string) (id string) {
		t.Helper()
		a, text := post(t, site.URL, fmt.Sprintf(hello, "2025-11-25"), "Authorization", who, "Fovea-Session", session)
		if id = a.Header.Get("Mcp-Session-Id"); a.StatusCode != http.StatusOK || id == "" {
			t.Fatalf("%s begins %q: %s, %s", who, session, a.Status, text)
		}
		return id
	}
	works := func(who, session, id string) {
		t.Helper()
		if a, text := post(t, site.URL, ping, "Authorization", who, "Fovea-Session", session, "Mcp-Session-Id", id); a.StatusCode != http.StatusOK {
			t.Errorf("%s in %q: %s, %s", who, session, a.Status, text)
		}
	}
	adas := begin("ada", "")
	for _, tc := range []struct {
		name    string
		session func(i int) string
	}{
		{"another session each time", func(i int) string { return fmt.Sprintf("s%d", i) }},
		{"one session", func(int) string { return "same" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first, last := "", ""
			for i := range 1000 {
				last = begin("mint", tc.session(i))
				if i == 0 {
					first = last
				}
			}
			works("mint", tc.session(999), last)
			a, text := post(t, site.URL, ping, "Authorization", "mint", "Fovea-Session", tc.session(0), "Mcp-Session-Id", first)
			if a.StatusCode != http.StatusNotFound || !strings.Contains(text, `"code":-32001`) || !strings.Contains(text, "initialize") {
				t.Errorf("the first session: %s, %s", a.Status, text)
			}
			works("ada", "", adas)
			works("bob", "", begin("bob", ""))
			if servers, sessions := mcpserver.Kept(web); servers > bound.Servers.Agent+2 || sessions > 2*bound.Sessions.Agent {
				t.Errorf("%d servers and %d sessions are kept", servers, sessions)
			}
		})
	}
}

// TestWhatIsNoMessageOverHTTP: what is posted and no message is answered by an error of
// JSON-RPC, with status 400.
func TestWhatIsNoMessageOverHTTP(t *testing.T) {
	svc, _ := memory(t)
	site := httptest.NewServer(forAll(mcpserver.New(svc, nil)))
	t.Cleanup(site.Close)
	for _, revision := range []string{"", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, body := range []string{
			"", " ", "null", "garbage", "{}", `{"jsonrpc":"2.0"}`, `"x"`, "7", "[]", "[null]", "[7]", "\xff", "\x00", `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
			`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":7}`,
			`{"jsonrpc":"2.0","id":1}`,
			strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}",
		} {
			a, text := post(t, site.URL, body, "Mcp-Protocol-Version", revision)
			if a.StatusCode != http.StatusBadRequest || a.Header.Get("Content-Type") != "application/json" ||
				!strings.Contains(text, `"code":-327`) && !strings.Contains(text, `"code":-32600`) || !strings.Contains(text, "Next: ") {
				t.Errorf("%s %.40q: %s, %s", revision, body, a.Status, text)
			}
		}
	}
}

// TestAPanicEndsOneCall: where a part of the program panics, the call that came to it is an
// error, which is logged with its stack, and the session goes on; so it does where that
// happens while clients are told of a change.
func TestAPanicEndsOneCall(t *testing.T) {
	svc, _ := memory(t)
	var log bytes.Buffer
	broken := false
	s := mcpserver.New(api.Service(func(ctx context.Context, c api.Call) (any, error) {
		if broken || c.Op.Name == "forget" {
			panic("out of order")
		}
		return svc(ctx, c)
	}), &mcpserver.Options{Faults: slog.New(slog.NewTextHandler(&log, nil))})
	ours, theirs := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(t.Context(), theirs) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "forget", Arguments: map[string]any{"id": "gauge"}}); err == nil ||
		!strings.Contains(err.Error(), "Next: ") {
		t.Errorf("a call that panics: %v", err)
	}
	if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "shares_test.go") {
		t.Errorf("the log has %s", got)
	}
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "fovea://node/gauge"}); err != nil {
		t.Fatal(err)
	}
	for s.Watched() == 0 && t.Context().Err() == nil {
		runtime.Gosched()
	}
	log.Reset()
	broken = true
	s.Changed(t.Context())
	broken = false
	if !strings.Contains(log.String(), "notifying of changes") {
		t.Errorf("the log has %s", log.String())
	}
	call(t, c, "read", map[string]any{"id": "gauge"})
}
