// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withToken sends a token with each request.
type withToken string

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPOverHTTP: the daemon serves MCP to who has a token, which commits say, and
// tells of what somebody else commits.
func TestMCPOverHTTP(t *testing.T) {
	s := newServed(t)
	secret := strings.TrimSpace(s.run("token", "add", "ada"))
	daemon := s.command("serve", "--detach", "--http")
	if said, err := daemon.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	s.run("remember", "Gauge", "--property", "ID=gauge")
	told := make(chan string, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { told <- r.Params.URI },
	})
	c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: servedAt(t, s) + "/mcp",
		HTTPClient: &http.Client{Transport: withToken(secret)}},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: map[string]any{"title": "By a token"}})
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := s.run("log", "--json"); !strings.Contains(got, `"author":"ada"`) || !strings.Contains(got, `"said_by":"token"`) {
		t.Errorf("log %s", got)
	}
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "fovea://node/gauge"}); err != nil {
		t.Fatal(err)
	}
	s.run("edit", "gauge", "--todo", "TODO")
	if got := <-told; got != "fovea://node/gauge" {
		t.Errorf("told of %s", got)
	}
}
