// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// firstWithoutSessions is the revision of the protocol from which on a request says
	// everything itself. Its form YYYY-MM-DD compares as text.
	firstWithoutSessions = "2026-07-28"
	// mostServers is how many are kept. One without a session makes room.
	mostServers = 1000
	// sessionIdle is after how long without a request a session ends.
	sessionIdle = 4 * time.Hour
)

// Whose says whose a request is: open makes a server for it, which serves all requests
// of the same key. An empty key refuses the request.
type Whose func(r *http.Request) (key string, open func() *Server)

// Web serves MCP over streamable HTTP, in all revisions that the SDK speaks: to each
// who asks by a server of its own, which is kept. A session is open only to whose it
// is. It is safe for concurrent use.
type Web struct {
	whose         Whose
	with, without http.Handler

	mu      sync.Mutex
	servers map[string]*Server
}

// NewWeb returns a handler. Who may connect, and from where, is checked before it.
func NewWeb(whose Whose, log *slog.Logger) *Web {
	w := &Web{whose: whose, servers: map[string]*Server{}}
	of := func(r *http.Request) *mcp.Server {
		if s := w.server(r); s != nil {
			return s.mcp
		}
		return nil
	}
	// The SDK serves revisions with sessions and those without by two handlers.
	w.with = mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Logger: log, SessionTimeout: sessionIdle, EventStore: newEvents()})
	w.without = mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Logger: log, Stateless: true, PropagateRequestCancellation: true})
	return w
}

// ServeHTTP serves one request of MCP; see [NewWeb].
func (w *Web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Mcp-Protocol-Version") >= firstWithoutSessions {
		w.without.ServeHTTP(out, r)
		return
	}
	if id := r.Header.Get("Mcp-Session-Id"); id != "" && !w.server(r).has(id) {
		http.Error(out, "session not found", http.StatusNotFound) // the client begins another
		return
	}
	w.with.ServeHTTP(out, r)
}

// Changed tells clients of all servers what is not what it was, see Server.Changed.
func (w *Web) Changed(ctx context.Context) {
	w.mu.Lock()
	servers := slices.Collect(maps.Values(w.servers))
	w.mu.Unlock()
	for _, s := range servers {
		s.Changed(ctx)
	}
}

// server returns the server of a request, nil if there is none for it.
func (w *Web) server(r *http.Request) *Server {
	key, open := w.whose(r)
	if key == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.servers[key]; s != nil {
		return s
	}
	if len(w.servers) >= mostServers {
		maps.DeleteFunc(w.servers, func(_ string, s *Server) bool { return !s.busy() })
	}
	if len(w.servers) >= mostServers {
		return nil
	}
	s := open()
	w.servers[key] = s
	return s
}

// busy reports whether a server has a session.
func (s *Server) busy() bool {
	for range s.mcp.Sessions() {
		return true
	}
	return false
}

// has reports whether a server has the session of that id; no server has none.
func (s *Server) has(id string) bool {
	if s == nil {
		return false
	}
	for session := range s.mcp.Sessions() {
		if session.ID() == id {
			return true
		}
	}
	return false
}
