// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// forAll serves everybody by one server.
func forAll(s *mcpserver.Server) *mcpserver.Web {
	return mcpserver.NewWeb(func(*http.Request) mcpserver.Caller {
		return mcpserver.Caller{Key: "all", Bearer: bound.Owner, Open: func() *mcpserver.Server { return s }}
	})
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestServersAreKept: each token has one server for all its requests and sessions;
// another one's session is not there for it; what somebody else commits is told to
// clients of all of them, with sessions and without.
func TestServersAreKept(t *testing.T) {
	svc, _ := memory(t)
	var opened atomic.Int32
	web := mcpserver.NewWeb(func(r *http.Request) mcpserver.Caller {
		who := r.Header.Get("Authorization")
		return mcpserver.Caller{Key: who, Bearer: bound.Agent(who), Open: func() *mcpserver.Server {
			opened.Add(1)
			return mcpserver.New(svc, nil)
		}}
	})
	site := httptest.NewServer(web)
	t.Cleanup(site.Close)
	told := make(chan string, 100)
	var sessions []string
	for _, who := range []string{"ada", "bob"} {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ResourceUpdatedHandler: func(context.Context, *mcp.ResourceUpdatedNotificationRequest) { told <- who + " " + revision },
			})
			transport := &mcp.StreamableClientTransport{Endpoint: site.URL, HTTPClient: &http.Client{Transport: bearer(who)}}
			c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			for range 3 {
				call(t, c, "recall", map[string]any{"query": "gauge"})
			}
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "fovea://node/gauge"}); err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, c.ID())
		}
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("%d servers for two who ask", n)
	}
	for _, who := range []string{"ada", "bob"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, site.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Mcp-Session-Id", sessions[2]) // bob's
		answer, err := bearer(who).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if who == "ada" && answer.StatusCode != http.StatusNotFound {
			t.Errorf("another one's session: %s", answer.Status)
		}
	}
	todo := "TODO"
	if _, err := api.OpEdit.Call(t.Context(), svc, api.EditRequest{ID: "gauge", Todo: &todo}); err != nil {
		t.Fatal(err)
	}
	web.Changed(t.Context())
	got := map[string]bool{}
	for len(got) < 3 { // bob has ended one
		got[<-told] = true
	}
	for _, want := range []string{"ada 2025-11-25", "ada 2026-07-28", "bob 2026-07-28"} {
		if !got[want] {
			t.Errorf("told: %v", got)
		}
	}
}

// TestBadRequestsOverHTTP: what is no request of the protocol, or of no revision, is
// refused with a status of its own, and the next one is served.
func TestBadRequestsOverHTTP(t *testing.T) {
	svc, _ := memory(t)
	web := httptest.NewServer(forAll(mcpserver.New(svc, nil)))
	t.Cleanup(web.Close)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tc := range []struct {
		name, body string
		headers    []string
	}{
		{"half a request", `{"jsonrpc":"2.0","id":`, nil},
		{"no JSON", "nonsense", nil},
		{"bytes", "\xff\xfe\x00", nil},
		{"nothing", "", nil},
		{"a text", `"text"`, nil},
		{"another JSON-RPC", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil},
		{"deep", strings.Repeat("[", 1<<20), nil},
		{"a revision that is none", ping, []string{"MCP-Protocol-Version", "1999-01-01"}},
		{"a session that is none", ping, []string{"Mcp-Session-Id", "nobody's"}},
		{"a form", "jsonrpc=2.0", []string{"Content-Type", "application/x-www-form-urlencoded"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if a, _ := post(t, web.URL, tc.body, tc.headers...); a.StatusCode < 400 || a.StatusCode > 499 {
				t.Errorf("answered with %d", a.StatusCode)
			}
			if a, _ := post(t, web.URL, fmt.Sprintf(hello, "2025-11-25")); a.StatusCode != 200 {
				t.Errorf("the next client is answered with %d", a.StatusCode)
			}
		})
	}
}
