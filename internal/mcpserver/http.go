// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstWithoutSessions is the revision of the protocol from which on a request says
// everything itself. Its form YYYY-MM-DD compares as text.
const firstWithoutSessions = "2026-07-28"

// Handler serves MCP over streamable HTTP, in all revisions that the SDK speaks.
// server chooses the server of a request, such as that of its token, and may return
// one server many times; nil refuses the request. Who may connect, and from where,
// is checked before.
func Handler(server func(*http.Request) *Server, log *slog.Logger) http.Handler {
	of := func(r *http.Request) *mcp.Server {
		if s := server(r); s != nil {
			return s.mcp
		}
		return nil
	}
	// The SDK serves revisions with sessions and those without by two handlers.
	with := mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Logger: log})
	without := mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Logger: log, Stateless: true, PropagateRequestCancellation: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= firstWithoutSessions {
			without.ServeHTTP(w, r)
			return
		}
		with.ServeHTTP(w, r)
	})
}
