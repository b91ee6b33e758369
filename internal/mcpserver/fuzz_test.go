// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// FuzzWeb: whatever a client of MCP sends over HTTP, with whatever headers, in a session
// or without, there is an answer, and it is never that the server is at fault; a refusal
// is JSON.
func FuzzWeb(f *testing.F) {
	m, err := fovea.Open(f.Context(), f.TempDir(), &fovea.Options{StateDir: filepath.Join(f.TempDir(), "state")})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { m.Close() })
	h := behindTheDaemon(api.NewLocal(m, nil), func(*mcpserver.Server) {}, func(*http.Request) (api.Grant, error) {
		return api.Grant{Agent: "ada", Role: api.Agent, Vouched: true}, nil
	})
	serve := func(ctx context.Context, method, body, headers string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, "POST", "http://fovea/mcp", strings.NewReader(body))
		r.Method = method
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for line := range strings.SplitSeq(headers, "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok {
				r.Header.Set(name, strings.TrimSpace(value))
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"fuzz","version":"1"}}}`
	session := serve(f.Context(), "POST", begin, "").Header().Get("Mcp-Session-Id")
	serve(f.Context(), "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id: "+session)
	for _, revision := range []string{"", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "9999"} {
		version := "Mcp-Protocol-Version: " + revision
		f.Add(true, "POST", begin, version)
		f.Add(false, "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"edit","arguments":null,`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`"}}}`, version)
		f.Add(true, "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{"query":null}}}`, version)
		f.Add(true, "POST", `[{"jsonrpc":"2.0","id":2,"method":"ping"},null]`, version)
		f.Add(true, "DELETE", "", version+"\nMcp-Session-Id: x")
		f.Add(false, "GET", "", version+"\nLast-Event-ID: 1_2\nAccept: */*")
	}
	f.Add(true, "POST", `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"fovea://node/x"}}`,
		"Content-Encoding: gzip\nRange: bytes=1-2\nExpect: x")
	f.Add(true, "POST", `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"session-start","arguments":{"task":"x"}}}`,
		"Mcp-Method: x\nMcp-Name: y\nMcp-Param-Z: =?base64?x?=")
	f.Fuzz(func(t *testing.T, in bool, method, body, headers string) {
		if in {
			headers = "Mcp-Session-Id: " + session + "\n" + headers
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		if method == http.MethodGet || strings.Contains(body, "subscriptions") || strings.Contains(body, `\u`) {
			stop() // what goes on for ever ends at once
		}
		if in && method == http.MethodDelete {
			return
		}
		w := serve(ctx, method, body, headers)
		if w.Code < 200 || w.Code >= 500 {
			t.Errorf("%s %q %q: %d %s", method, body, headers, w.Code, w.Body)
		}
		if w.Code >= 400 && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %q %q: %d, and no JSON: %q", method, body, headers, w.Code, w.Body)
		}
	})
}
